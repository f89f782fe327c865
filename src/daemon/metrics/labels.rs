//! Values of labels: small enums, so that no input ever becomes a label.

use std::fmt::{self, Write};

use prometheus_client::encoding::{EncodeLabelValue, LabelValueEncoder};

/// Makes the values of labels of these enums.
macro_rules! label_values {
    ($($name:ident),+ $(,)?) => { $(
        impl EncodeLabelValue for $name {
            fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
                encoder.write_str(self.as_str())
            }
        }
    )+ };
}

label_values!(
    DnsAnswer, ListAnswer, Cache, Lookup, ConnectionFault, TaskResult, JournalFault, RecipeFault,
    ContactAnswer, ContactFault, StatePart, Grant,
);

word_enum! {
    /// An action that the filter needs of the MTA.
    #[derive(Hash)]
    pub enum Grant {
        AddHeaders = "add-headers",
        ChangeBody = "change-body",
        ChangeHeaders = "change-headers",
        Quarantine = "quarantine",
    }
}

word_enum! {
    /// The DNS answer about a top-level domain.
    #[derive(Hash)]
    pub enum DnsAnswer {
        Exists = "exists",
        Missing = "missing",
        /// Timeout, SERVFAIL, refused.
        Unverified = "unverified",
    }
}

word_enum! {
    /// The answer of a block list about a domain.
    #[derive(Hash)]
    pub enum ListAnswer {
        Listed = "listed",
        Clean = "clean",
        /// It refuses to answer us: we use a public resolver, send too many queries, or have a wrong key. Also where it
        /// is not queried, since it has refused before.
        Refused = "refused",
        /// An address that has no meaning in the form of this list.
        Odd = "odd",
        /// Timeout, SERVFAIL, or not queried because it did not answer before.
        Unanswered = "unanswered",
    }
}

word_enum! {
    /// The caches of the daemon.
    #[derive(Hash)]
    pub enum Cache {
        /// Answers of the DNS about top-level domains.
        Dns = "dns",
        /// Answers of block lists about domains.
        Blocklist = "blocklist",
        /// Judgements of hosts.
        Host = "host",
    }
}

word_enum! {
    /// Result of a look-up in a cache.
    #[derive(Hash)]
    pub enum Lookup {
        Hit = "hit",
        Miss = "miss",
    }
}

word_enum! {
    /// How a connection failed.
    #[derive(Hash)]
    pub enum ConnectionFault {
        /// `accept` failed: no descriptors or memory left.
        Accept = "accept",
        /// The MTA sent what the protocol does not allow.
        Protocol = "protocol",
        /// The MTA closed the connection in the middle.
        Io = "io",
        /// The MTA sent nothing in time.
        Timeout = "timeout",
        /// More connections than the configuration allows.
        Limit = "limit",
        /// The same, and none was idle: a new one waits.
        Full = "full",
        /// Too many bytes of messages in memory: the message was deferred.
        Memory = "memory",
        /// Still busy when the drain timeout was over.
        Drain = "drain",
    }
}

word_enum! {
    /// Whether a task succeeded.
    #[derive(Hash)]
    pub enum TaskResult {
        Succeeded = "ok",
        Failed = "failed",
    }
}

word_enum! {
    /// Why an event was not recorded, or the journal not maintained.
    #[derive(Hash)]
    pub enum JournalFault {
        /// There is no journal: its directory cannot be used.
        Open = "open",
        /// Events come faster than the disk takes them.
        QueueFull = "queue-full",
        Write = "write",
        Sync = "sync",
        /// Somebody removed or replaced a file that is written to; the rest goes into a new one.
        Removed = "removed",
        Expire = "expire",
    }
}

word_enum! {
    /// What failed with undo recipes that are too big for a header field.
    #[derive(Hash)]
    pub enum RecipeFault {
        /// A recipe was not stored: the edits of a message cannot be undone.
        Write = "write",
        /// Old recipes were not removed.
        Expire = "expire",
    }
}

word_enum! {
    /// Whether a local recipient of a message from outside has had mail with its author before.
    #[derive(Hash)]
    pub enum ContactAnswer {
        Known = "known",
        First = "first",
        /// The contact store does not go back far enough to say.
        TooEarly = "young",
    }
}

word_enum! {
    /// What failed with the contact store.
    #[derive(Hash)]
    pub enum ContactFault {
        /// The file was damaged, unreadable or written under another key. All contacts are forgotten.
        Read = "read",
        Write = "write",
        /// So many addresses came that older ones are forgotten early.
        Full = "full",
    }
}

word_enum! {
    /// A part of the state directory.
    #[derive(Hash)]
    pub enum StatePart {
        Journal = "journal",
        Recipes = "undo",
    }
}
