//! Tests with real processes: the supervisor alone, and the whole way from a variant to a stopped engine.

mod processes {
    mod launch;
    mod real_engine;
    mod supervise;
    mod support;
}
