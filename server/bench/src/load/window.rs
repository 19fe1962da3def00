//! The measured window of a closed loop: the time during which every place was filled.
//!
//! It begins when the last place was filled for the first time (ramp-up lies before it) and ends when the first
//! place stays empty because no request is left (drain lies behind it). Between the two the load is what it
//! claims to be: `c` requests in flight.
//!
//! Why not up to the last answer: in a short run the drain is a large share of the time and carries fewer
//! requests, so throughput would sink with the number of requests sent. Why not up to the last request sent:
//! the answers then in flight are still served at full concurrency until the first of them ends.
//! Latencies come from the requests sent inside it: those of the ramp-up met an engine that was not loaded yet.
//!
//! A closed loop whose answers have equal length runs in waves, and the last wave ends a moment after the
//! window. Whoever computes throughput must therefore count the *tokens that came inside the window*, also of
//! requests that straddle its edge: counting only requests that end inside would drop most of the last wave and
//! understate 8 places × 4 waves by up to 22 %.

use super::tally::Tally;

/// From (inclusive) and to (exclusive), in microseconds; `None` when the places were never all filled at once,
/// so that only the whole run can count.
pub(crate) fn of(tallies: &[Tally]) -> Option<(u64, u64)> {
    let places = tallies.len();
    let mut sent: Vec<u64> = tallies.iter().flat_map(|t| &t.samples).filter_map(|s| s.sent).collect();
    sent.sort_unstable();
    let from = *sent.get(places.checked_sub(1)?)?;
    let to = tallies.iter().map(|tally| tally.emptied).min()?;
    // `to` is exclusive: an answer that ended in this very microsecond still belongs to the full load.
    (from < to).then_some((from, to.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tally::Sample;

    fn tally(requests: &[(u64, u64)]) -> Tally {
        let samples = requests.iter().map(|(sent, ended)| Sample {
            req: 0,
            due: *sent,
            sent: Some(*sent),
            ended: *ended,
            ok: true,
        });
        let emptied = requests.last().map_or(0, |(_, ended)| *ended);
        Tally { samples: samples.collect(), emptied, ..Tally::default() }
    }

    #[test]
    fn full_concurrency_bounds_the_window() {
        let tallies = [tally(&[(0, 100), (100, 220)]), tally(&[(7, 90), (90, 190)])];
        assert_eq!(of(&tallies), Some((7, 191)));
    }

    #[test]
    fn one_place_is_measured_from_first_send_to_last_end() {
        assert_eq!(of(&[tally(&[(3, 50), (51, 99)])]), Some((3, 100)));
    }

    #[test]
    fn places_that_were_never_all_filled_give_no_window() {
        assert_eq!(of(&[tally(&[(0, 5)]), tally(&[(6, 9)])]), None);
        assert_eq!(of(&[tally(&[(0, 5)]), tally(&[])]), None);
        assert_eq!(of(&[]), None);
    }
}
