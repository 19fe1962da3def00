//! Compares two arms over their blocks.
