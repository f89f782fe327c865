//! Generated tables and their accessors.

/// Version of the Unicode data in these tables.
pub const UNICODE_VERSION: &str = "18.0.0";
