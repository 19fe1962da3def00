//! The ledger's entries that follow from the runs themselves.

use inferex_model::comparison::LedgerEntry;

use super::field::{LedgerField, Weight};
use super::ledger::{entry, one_sided};
use super::text::{grouped, percent};
use super::{ArmBlocks, BlockFigures, LevelBlocks};

/// Share of cached prompt tokens that separates a cold cache from a warm one.
const WARM: f64 = 0.10;
/// Error rates further apart than this forbid a verdict (so one of them is above it).
const ERROR_DIFFERENCE: f64 = 0.01;
/// Mean prompt lengths further apart than this differ, where the same requests cannot be matched.
const PROMPT_TOLERANCE: f64 = 0.02;
/// Shares closer than this are called equal.
const SAME_SHARE: f64 = 0.01;

/// The levels that both sides measured.
fn common<'a>(
    baseline: &'a ArmBlocks,
    candidate: &'a ArmBlocks,
) -> impl Iterator<Item = (&'a LevelBlocks, &'a LevelBlocks)> {
    baseline.levels.iter().filter_map(|ours| {
        let same = |theirs: &&LevelBlocks| theirs.level.concurrency == ours.level.concurrency;
        Some((ours, candidate.levels.iter().find(same)?))
    })
}

fn blocks(arm: &ArmBlocks) -> impl Iterator<Item = &BlockFigures> {
    arm.levels.iter().flat_map(|level| &level.blocks)
}

/// The same prompts must give the same number of tokens. Runs of the same level and repeat without a failure are
/// matched exactly; without such a pair the means per request are held together.
pub(super) fn prompt_tokens(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let field = LedgerField::PromptTokens;
    let pairs = matched_prompts(baseline, candidate);
    if pairs.is_empty() {
        return prompt_means(baseline, candidate);
    }
    let differs = pairs.iter().any(|(ours, theirs)| ours != theirs);
    let total = |pick: fn(&(u64, u64)) -> u64| grouped(pairs.iter().map(pick).fold(0, u64::saturating_add));
    Some(entry(field, [total(|p| p.0), total(|p| p.1)], differs, differs.then_some(Weight::Forbids)))
}

fn matched_prompts(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Vec<(u64, u64)> {
    common(baseline, candidate)
        .flat_map(|(ours, theirs)| {
            ours.blocks.iter().filter_map(|our| {
                let same = |their: &&BlockFigures| {
                    their.repeat == our.repeat
                        && their.successful == our.successful
                        && their.failed + our.failed == 0
                };
                Some((our.prompt_tokens?, theirs.blocks.iter().find(same)?.prompt_tokens?))
            })
        })
        .collect()
}

fn prompt_means(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let mean = |arm: &ArmBlocks| {
        let known: Vec<(u64, u64)> =
            blocks(arm).filter_map(|b| Some((b.prompt_tokens?, b.successful))).collect();
        let requests: f64 = known.iter().map(|(_, n)| *n as f64).sum();
        (requests > 0.0).then(|| known.iter().map(|(tokens, _)| *tokens as f64).sum::<f64>() / requests)
    };
    let shown = |mean: f64| format!("{mean:.1} a request");
    match (mean(baseline), mean(candidate)) {
        (None, None) => None,
        (Some(ours), Some(theirs)) => {
            let differs = (ours - theirs).abs() > PROMPT_TOLERANCE * ours.max(theirs);
            let weight = differs.then_some(Weight::Forbids);
            Some(entry(LedgerField::PromptTokens, [shown(ours), shown(theirs)], differs, weight))
        }
        (ours, theirs) => Some(one_sided(LedgerField::PromptTokens, [ours.map(shown), theirs.map(shown)])),
    }
}

/// The numbers of requests at the levels where they differ.
pub(super) fn requests(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let differing: Vec<_> = common(baseline, candidate)
        .filter(|(ours, theirs)| ours.level.requests != theirs.level.requests)
        .map(|(ours, theirs)| (ours.level, theirs.level))
        .collect();
    let first = differing.first()?;
    let shown =
        [first.0, first.1].map(|level| format!("{} at {}", grouped(level.requests.into()), level.label()));
    Some(entry(LedgerField::Requests, shown, true, Some(Weight::Remark)))
}

/// The shares of both sides at one level.
struct Shares {
    label: String,
    both: [f64; 2],
    apart: f64,
}

impl Shares {
    fn is_warm_against_cold(&self) -> bool {
        (self.both[0] > WARM) != (self.both[1] > WARM) && self.apart > SAME_SHARE
    }
}

/// The shares at each level where both sides have one, those furthest apart first.
fn shares(
    baseline: &ArmBlocks,
    candidate: &ArmBlocks,
    share: impl Fn(&LevelBlocks) -> Option<f64>,
) -> Vec<Shares> {
    let mut shares: Vec<Shares> = common(baseline, candidate)
        .filter_map(|(ours, theirs)| {
            let both = [share(ours)?, share(theirs)?];
            Some(Shares { label: ours.level.label(), both, apart: (both[0] - both[1]).abs() })
        })
        .collect();
    shares.sort_by(|a, b| b.apart.total_cmp(&a.apart));
    shares
}

fn ratio(level: &LevelBlocks, part_and_whole: impl Fn(&BlockFigures) -> Option<(u64, u64)>) -> Option<f64> {
    let known: Vec<(u64, u64)> = level.blocks.iter().filter_map(part_and_whole).collect();
    let whole: f64 = known.iter().map(|(_, whole)| *whole as f64).sum();
    (whole > 0.0).then(|| known.iter().map(|(part, _)| *part as f64).sum::<f64>() / whole)
}

fn share_entry(field: LedgerField, shares: &Shares, weight: Option<Weight>) -> LedgerEntry {
    let shown = shares.both.map(|share| format!("{} at {}", percent(share), shares.label));
    entry(field, shown, shares.apart > 0.0, weight)
}

/// Warm (above 10 % cached) against cold forbids a verdict at whichever level it happens, unless both lie within
/// a percentage point of that line.
pub(super) fn cache_share(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let share = |level: &LevelBlocks| ratio(level, |b| Some((b.cached_tokens?, b.prompt_tokens?)));
    let levels = shares(baseline, candidate, share);
    if let Some(opposed) = levels.iter().find(|level| level.is_warm_against_cold()) {
        return Some(share_entry(LedgerField::CacheShare, opposed, Some(Weight::Forbids)));
    }
    let Some(furthest) = levels.first() else {
        let known = [baseline, candidate].map(|arm| arm.levels.iter().find_map(share).map(percent));
        let reported = known.iter().any(Option::is_some);
        return reported.then(|| one_sided(LedgerField::CacheShare, known));
    };
    let mut entry = share_entry(LedgerField::CacheShare, furthest, None);
    entry.differs = furthest.apart > SAME_SHARE;
    if entry.differs {
        let state = if furthest.both[0] > WARM { "warm" } else { "cold" };
        entry.remark = format!(
            "Cached shares of the prompts differ, so one side had less to compute; both caches count as {state}."
        );
    }
    Some(entry)
}

/// Error rates more than one percentage point apart at any level forbid a verdict; any failure is remarked on.
pub(super) fn error_rate(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let rate =
        |level: &LevelBlocks| ratio(level, |b| Some((b.failed, b.failed.saturating_add(b.successful))));
    let levels = shares(baseline, candidate, rate);
    let furthest = levels.first()?;
    if furthest.apart > ERROR_DIFFERENCE {
        return Some(share_entry(LedgerField::ErrorRate, furthest, Some(Weight::Forbids)));
    }
    let mut entry = share_entry(LedgerField::ErrorRate, furthest, None);
    let failed = [baseline, candidate].map(|arm| blocks(arm).map(|b| b.failed).fold(0, u64::saturating_add));
    if failed.iter().any(|n| *n > 0) {
        entry.remark = format!(
            "Requests failed ({} against {}); they are in no latency and no throughput.",
            grouped(failed[0]),
            grouped(failed[1])
        );
    }
    Some(entry)
}

/// A run in which the generator was the bottleneck forbids a verdict, on whichever side.
pub(super) fn client_bound(baseline: &ArmBlocks, candidate: &ArmBlocks) -> Option<LedgerEntry> {
    let count = |arm: &ArmBlocks| (blocks(arm).filter(|b| b.client_bound).count(), blocks(arm).count());
    let (ours, theirs) = (count(baseline), count(candidate));
    if ours.1 + theirs.1 == 0 {
        return None;
    }
    let shown = [ours, theirs].map(|(bound, all)| format!("{bound} of {all} runs"));
    let weight = (ours.0 + theirs.0 > 0).then_some(Weight::Forbids);
    Some(entry(LedgerField::ClientBound, shown, ours.0 != theirs.0, weight))
}
