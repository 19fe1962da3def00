//! Planted differences, forbidding ledgers, too few starts, sentences, and properties of a comparison.

mod findings;
mod ledgers;
mod properties;
mod verdicts;

use inferex_model::experiment::Level;

use super::*;

/// One level's figures: throughput by block; latencies follow from it (a slower arm waits longer).
fn level(concurrency: u32, throughputs: &[f64]) -> LevelBlocks {
    let blocks = (0..)
        .zip(throughputs)
        .map(|(repeat, throughput)| BlockFigures {
            repeat,
            output_throughput: Some(*throughput),
            ttft_p95_ms: Some(20_000.0 / throughput),
            tpot_p95_ms: Some(2_000.0 / throughput),
            samples: 50,
            successful: 50,
            failed: 0,
            prompt_tokens: Some(1_024),
            cached_tokens: Some(0),
            client_bound: false,
        })
        .collect();
    LevelBlocks { level: Level::closed(concurrency, 50), blocks }
}

fn arm(name: &str, levels: Vec<LevelBlocks>) -> ArmBlocks {
    ArmBlocks { name: name.to_owned(), facts: Facts::default(), levels }
}

/// Five starts around `middle`, 1 % apart.
fn five(middle: f64) -> Vec<f64> {
    [0.98, 0.99, 1.0, 1.01, 1.02].iter().map(|share| share * middle).collect()
}

fn input(baseline: ArmBlocks, candidate: ArmBlocks) -> CompareInput {
    CompareInput { baseline, candidate, seed: 42 }
}

/// F16 against `Q4_0` at two levels, the latter `faster` times as fast at concurrency 32.
fn planted(faster: f64) -> CompareInput {
    input(
        arm("F16", vec![level(1, &five(36.0)), level(32, &five(160.0))]),
        arm("Q4_0", vec![level(1, &five(36.0)), level(32, &five(160.0 * faster))]),
    )
}
