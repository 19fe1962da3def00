//! Shared by tests.
