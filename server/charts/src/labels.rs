//! Labels at line ends: as near to their lines as they can be without touching each other.

/// Moves centres apart to at least `height`, inside `top..=bottom`, by the least sum of squared moves; the order is
/// kept, so leader lines do not cross. The caller sees to it that all fit.
pub(crate) fn spread(wanted: &[f64], top: f64, bottom: f64, height: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // With the n-th label shifted up by n heights, "at least a height apart" is "not decreasing": an isotonic fit.
    let shift = |rank: usize| rank as f64 * height;
    let shifted: Vec<f64> = order.iter().enumerate().map(|(rank, &i)| wanted[i] - shift(rank)).collect();
    let limit = (bottom - shift(wanted.len().saturating_sub(1))).max(top);
    let mut placed = vec![0.0; wanted.len()];
    for (rank, (&i, fitted)) in order.iter().zip(isotonic(&shifted)).enumerate() {
        placed[i] = fitted.clamp(top, limit) + shift(rank);
    }
    placed
}

/// The nearest not decreasing sequence (pool adjacent violators).
fn isotonic(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        pools.push((value, 1));
        while let [.., (before, n), (after, m)] = pools[..] {
            if before <= after {
                break;
            }
            pools.truncate(pools.len() - 2);
            pools.push(((before * n as f64 + after * m as f64) / (n + m) as f64, n + m));
        }
    }
    pools.into_iter().flat_map(|(mean, n)| std::iter::repeat_n(mean, n)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_that_do_not_touch_stay() {
        assert_eq!(spread(&[50.0, 10.0], 0.0, 100.0, 15.0), [50.0, 10.0]);
    }

    #[test]
    fn touching_labels_move_evenly() {
        assert_eq!(spread(&[50.0, 50.0], 0.0, 100.0, 10.0), [45.0, 55.0]);
        assert_eq!(spread(&[100.0, 100.0], 0.0, 100.0, 10.0), [90.0, 100.0]);
    }

    proptest! {
        #[test]
        fn never_overlap_nor_leave(wanted in prop::collection::vec(0.0..200f64, 0..12)) {
            let placed = spread(&wanted, 0.0, 200.0, 15.0);
            for (i, a) in placed.iter().enumerate() {
                prop_assert!((-1e-6..=200.0 + 1e-6).contains(a));
                for (j, b) in placed.iter().enumerate().skip(i + 1) {
                    prop_assert!((a - b).abs() >= 15.0 - 1e-6);
                    prop_assert!(wanted[i].total_cmp(&wanted[j]).is_eq() || (wanted[i] < wanted[j]) == (a < b));
                }
            }
        }
    }
}
