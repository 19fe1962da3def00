//! The parts pages are built from. They show what they are given and read no port.

pub(crate) mod basic;
pub(crate) mod charts;
pub(crate) mod comparison;
pub(crate) mod figures;
pub(crate) mod finding;
pub(crate) mod form;
pub(crate) mod layout;
pub(crate) mod log;
pub(crate) mod matrix;
pub(crate) mod problem;
pub(crate) mod result;
pub(crate) mod state;
pub(crate) mod swatch;
