use proptest::prelude::*;

use super::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn quantiles_interpolate_between_ranks() {
    let samples = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(quantile(&samples, 0.0), Some(1.0));
    assert_eq!(quantile(&samples, 0.5), Some(2.5));
    assert!(quantile(&samples, 0.95).is_some_and(|q| close(q, 3.85)));
    assert_eq!(quantile(&samples, 1.0), Some(4.0));
    assert_eq!(quantile(&[], 0.5), None);
    assert_eq!(median(&[3.0, f64::NAN, 1.0, 2.0]), Some(2.0));
}

#[test]
fn a_spread_has_the_known_values() {
    let stat = summarise(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("samples");
    assert_eq!((stat.n, stat.min, stat.max, stat.p50), (8, 2.0, 9.0, 4.5));
    assert!(close(stat.mean, 5.0) && close(stat.std, (32.0_f64 / 7.0).sqrt()));
    assert_eq!(summarise(&[7.0]).map(|s| (s.std, s.p99)), Some((0.0, 7.0)));
    assert_eq!(summarise(&[]), None);
}

#[test]
fn percentiles_are_certified_from_130_and_662_samples() {
    let certified = |n| summarise(&vec![1.0; n]).map(|s| (s.p95_certified, s.p99_certified));
    assert_eq!(certified(129), Some((false, false)));
    assert_eq!(certified(130), Some((true, false)));
    assert_eq!(certified(661), Some((true, false)));
    assert_eq!(certified(662), Some((true, true)));
}

#[test]
fn a_weight_that_fills_the_range_gives_finite_figures() {
    let huge = vec![Weighted { value: 1e18, count: u64::MAX }, Weighted { value: 0.0, count: u64::MAX }];
    let stat = summarise_weighted(huge).expect("samples");
    assert!(stat.mean.is_finite() && stat.std.is_finite());
}

#[test]
fn five_against_five_apart_reach_two_in_252() {
    let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
    let test = permutation_test(&low, &high, 1).expect("groups");
    assert_eq!(test.method, Method::Exact { splits: 252 });
    assert!(close(test.p, 2.0 / 252.0) && close(test.reachable_p, 2.0 / 252.0));
}

#[test]
fn known_small_cases_of_the_permutation_test() {
    let p = |a: &[f64], b: &[f64]| permutation_test(a, b, 1).map(|t| t.p);
    // One against one: the mirrored split differs as much.
    assert_eq!(p(&[1.0], &[2.0]), Some(1.0));
    // {1,2} against {3,4}: only itself and its mirror, of six.
    assert!(p(&[1.0, 2.0], &[3.0, 4.0]).is_some_and(|p| close(p, 2.0 / 6.0)));
    // {1,3} against {2,4}: |difference| 1; {1,2}, {3,4}, {1,3}, {2,4} reach it, {1,4}, {2,3} do not.
    assert!(p(&[1.0, 3.0], &[2.0, 4.0]).is_some_and(|p| close(p, 4.0 / 6.0)));
    // Ties: 0.1 + 0.2 against 0.3 must count as equal.
    assert_eq!(p(&[0.1, 0.2, 0.3], &[0.3, 0.2, 0.1]), Some(1.0));
    assert_eq!(p(&[5.0, 5.0], &[5.0, 5.0]), Some(1.0));
    assert_eq!(p(&[], &[1.0]), None);
    assert_eq!(p(&[f64::NAN], &[1.0]), None);
}

#[test]
fn unequal_groups_reach_one_split() {
    assert!(smallest_p(4, 5).is_some_and(|p| close(p, 1.0 / 126.0)));
    assert_eq!(smallest_p(1, 1), Some(1.0));
    assert_eq!(smallest_p(0, 5), None);
}

#[test]
fn beyond_the_bound_splits_are_drawn_and_said_to_be() {
    let low: Vec<f64> = (0..12).map(f64::from).collect();
    let high: Vec<f64> = (0..12).map(|i| f64::from(i) + 100.0).collect();
    let test = permutation_test(&low, &high, 7).expect("groups");
    assert_eq!(test.method, Method::MonteCarlo { draws: MONTE_CARLO_DRAWS });
    assert!(test.p >= test.reachable_p && test.p < 0.001, "{test:?}");
    assert_eq!(permutation_test(&low, &high, 7), Some(test));
    assert_eq!(splits(10, 10), 184_756);
    assert_eq!(splits(500, 500), u64::MAX);
}

#[test]
fn a_drawn_p_agrees_with_the_exact_one() {
    let a: Vec<f64> = (0..11).map(|i| f64::from(i * 7 % 11)).collect();
    let b: Vec<f64> = (0..11).map(|i| f64::from(i * 5 % 11) + 2.0).collect();
    let drawn = permutation_test(&a, &b, 3).expect("groups").p;
    let exact = permutation_test(&a[..10], &b[..10], 3).expect("groups");
    assert!(matches!(exact.method, Method::Exact { splits: 184_756 }));
    assert!((0.05..0.5).contains(&drawn) && (0.05..0.5).contains(&exact.p), "{drawn} {}", exact.p);
}

#[test]
fn holm_has_the_textbook_values() {
    let adjusted = holm(&[0.01, 0.04, 0.03]);
    for (got, wanted) in adjusted.iter().zip([0.03, 0.06, 0.06]) {
        assert!(close(*got, wanted), "{adjusted:?}");
    }
    assert!(holm(&[]).is_empty());
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
}

#[test]
fn a_ratio_interval_is_deterministic_and_around_the_ratio() {
    let (base, cand) = ([100.0, 101.0, 99.0, 100.5, 99.5], [165.0, 166.0, 164.0, 167.0, 163.0]);
    let interval = ratio_interval(&base, &cand, 42).expect("five blocks");
    assert!(interval[0] <= 1.65 && 1.65 <= interval[1], "{interval:?}");
    assert!(interval[0] > 1.6 && interval[1] < 1.7, "{interval:?}");
    assert_eq!(ratio_interval(&base, &cand, 42), Some(interval));
    assert_eq!(ratio_interval(&base[..1], &cand, 42), None);
    assert_eq!(ratio_interval(&[0.0, 0.0], &cand, 42), None);
}

#[test]
fn three_gated_metrics_need_five_starts() {
    assert_eq!(starts_needed(3, 0.05), Some(5));
    assert_eq!(starts_needed(1, 0.05), Some(4));
    let five = detectable_change(0.02, 5).expect("five starts");
    let twelve = detectable_change(0.02, 12).expect("twelve starts");
    assert!(five > twelve && (0.04..0.06).contains(&five), "{five} {twelve}");
    assert_eq!(detectable_change(0.02, 1), None);
}

fn samples(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-1e3..1e3_f64, (-5..5_i32).prop_map(f64::from)], 1..=most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn p_is_a_probability_that_no_rewriting_changes(a in samples(5), b in samples(5), scale in 0.01..100.0_f64) {
        let test = permutation_test(&a, &b, 1).expect("groups");
        prop_assert!(test.p > 0.0 && test.p <= 1.0);
        prop_assert!(test.p >= test.reachable_p - 1e-12);
        let swapped = permutation_test(&b, &a, 1).expect("groups");
        prop_assert!(close(test.p, swapped.p));
        let reversed: Vec<f64> = a.iter().rev().copied().collect();
        prop_assert_eq!(permutation_test(&reversed, &b, 1), Some(test));
        let scaled = |xs: &[f64]| xs.iter().map(|x| x * scale).collect::<Vec<_>>();
        let rescaled = permutation_test(&scaled(&a), &scaled(&b), 1).expect("groups");
        prop_assert!(close(test.p, rescaled.p), "{} {}", test.p, rescaled.p);
    }

    #[test]
    fn holm_never_lowers_and_keeps_the_order(ps in prop::collection::vec(0.0..=1.0_f64, 0..8)) {
        let adjusted = holm(&ps);
        for (i, p) in ps.iter().enumerate() {
            prop_assert!(adjusted[i] >= *p && adjusted[i] <= 1.0);
            for (j, other) in ps.iter().enumerate() {
                prop_assert!(p > other || adjusted[i] <= adjusted[j]);
            }
        }
    }

    #[test]
    fn quantiles_rise_and_stay_inside(mut xs in samples(40), p in 0.0..=1.0_f64, q in 0.0..=1.0_f64) {
        xs.sort_by(f64::total_cmp);
        let (low, high) = (quantile(&xs, p.min(q)), quantile(&xs, p.max(q)));
        prop_assert!(low <= high);
        prop_assert!(low >= xs.first().copied() && high <= xs.last().copied());
    }

    #[test]
    fn weights_are_repetitions(pairs in prop::collection::vec((-100..100_i32, 1..6_u64), 1..20)) {
        let weighted = pairs.iter().map(|(v, c)| Weighted { value: f64::from(*v), count: *c }).collect();
        let written: Vec<f64> =
            pairs.iter().flat_map(|(v, c)| (0..*c).map(|_| f64::from(*v))).collect();
        let (a, b) = (summarise_weighted(weighted).expect("some"), summarise(&written).expect("some"));
        prop_assert_eq!((a.n, a.min, a.max), (b.n, b.min, b.max));
        for (x, y) in [(a.mean, b.mean), (a.std, b.std), (a.p50, b.p50), (a.p95, b.p95), (a.p99, b.p99)] {
            prop_assert!(close(x, y), "{} {}", x, y);
        }
    }

    #[test]
    fn intervals_stay_within_what_the_samples_allow(
        a in prop::collection::vec(1.0..100.0_f64, 2..6),
        b in prop::collection::vec(1.0..100.0_f64, 2..6),
        seed in any::<u64>(),
    ) {
        let ends = |xs: &[f64]| (xs.iter().copied().fold(f64::MAX, f64::min), xs.iter().copied().fold(0.0, f64::max));
        let ((a_low, a_high), (b_low, b_high)) = (ends(&a), ends(&b));
        let [low, high] = ratio_interval(&a, &b, seed).expect("two blocks or more");
        prop_assert!(low <= high && low >= b_low / a_high - 1e-9 && high <= b_high / a_low + 1e-9);
        let [low, high] = median_interval(&b, seed).expect("two blocks or more");
        prop_assert!(b_low <= low && low <= high && high <= b_high);
        let middle = median(&b).expect("samples");
        prop_assert!(low <= middle && middle <= high);
    }
}
