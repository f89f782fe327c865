//! The table of top-level domains: its file, its refresh, the DNS.
