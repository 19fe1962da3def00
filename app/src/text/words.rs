//! Words and marks, one per thing.

use inferex_model::comparison::{GatedMetric, Verdict};

/// The mark before a verdict's word. Never by colour alone.
pub(crate) const fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "▲",
        Verdict::Worse => "▼",
        Verdict::NoDifferenceShown => "●",
        Verdict::NotComparable => "⊘",
    }
}

/// A gated metric's name and unit.
pub(crate) const fn metric(metric: GatedMetric) -> (&'static str, &'static str) {
    match metric {
        GatedMetric::OutputThroughput => ("output throughput", "tok/s"),
        GatedMetric::TtftP95 => ("TTFT p95", "ms"),
        GatedMetric::TpotP95 => ("TPOT p95", "ms"),
    }
}

/// `1 run`, `3 runs`.
pub(crate) fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", super::count(n), if n == 1 { "" } else { "s" })
}

/// A repeat counted from 0 as a person counts: `2` for 1.
pub(crate) const fn ordinal(from_zero: u32) -> u32 {
    from_zero.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_its_mark_and_word() {
        let all = [Verdict::Better, Verdict::Worse, Verdict::NoDifferenceShown, Verdict::NotComparable];
        let shown: Vec<String> = all.iter().map(|v| format!("{} {}", mark(*v), v.phrase())).collect();
        insta::assert_snapshot!(shown.join(" | "), @"▲ better | ▼ worse | ● no difference shown | ⊘ not comparable");
    }

    #[test]
    fn plurals() {
        assert_eq!(
            (plural(1, "run"), plural(0, "run"), plural(12_000, "run")),
            ("1 run".into(), "0 runs".into(), "12\u{202f}000 runs".into())
        );
    }
}
