//! Configuration: layers merged, then validated against our schema.
