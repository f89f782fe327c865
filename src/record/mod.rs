//! Versioned records: JSON forms, event journal, aggregates, digest, reports.
