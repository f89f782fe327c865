//! The daemon: everything wired together.
