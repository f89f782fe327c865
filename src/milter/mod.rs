//! The milter protocol.
