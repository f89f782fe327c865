//! Values of labels: small enums, so that no input ever becomes a label.

use std::fmt::{self, Write};

use prometheus_client::encoding::{EncodeLabelValue, LabelValueEncoder};

/// Makes an enum of the values of a label.
macro_rules! label {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$about])* $variant,)* }

        impl $name {
            pub(super) const ALL: &'static [$name] = &[$($name::$variant),*];
        }

        impl EncodeLabelValue for $name {
            fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
                encoder.write_str(match self { $($name::$variant => $word),* })
            }
        }
    };
}

label! {
/// The DNS answer about a top-level domain.
DnsAnswer {
        Exists = "exists",
        Missing = "missing",
        /// Timeout, SERVFAIL, refused.
        Unverified = "unverified",
    }
}

label! {
/// The answer of a block list about a domain.
ListAnswer {
        Listed = "listed",
        Clean = "clean",
        /// It refuses to answer us: we use a public resolver, send too many queries, or have a wrong key.
        Refused = "refused",
        /// An address that has no meaning in the form of this list.
        Odd = "odd",
        /// Timeout, SERVFAIL, or not queried because it did not answer or refused before.
        Unanswered = "unanswered",
    }
}

label! {
/// The caches of the daemon.
Cache {
        /// Answers of the DNS about top-level domains.
        Dns = "dns",
        /// Answers of block lists about domains.
        Blocklist = "blocklist",
        /// Judgements of hosts.
        Host = "host",
    }
}

label! {
/// Result of a look-up in a cache.
Lookup {
        Hit = "hit",
        Miss = "miss",
    }
}

label! {
/// How a connection failed.
ConnectionFault {
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
        /// Too many bytes of messages in memory: the message was deferred.
        Memory = "memory",
        /// Still busy when the drain timeout was over.
        Drain = "drain",
    }
}

label! {
/// Whether a task succeeded.
TaskResult {
        Succeeded = "ok",
        Failed = "failed",
    }
}

label! {
/// Why an event was not recorded, or the journal not maintained.
JournalFault {
        /// There is no journal: its directory cannot be used.
        Open = "open",
        /// Events come faster than the disk takes them.
        QueueFull = "queue-full",
        Write = "write",
        Sync = "sync",
        Expire = "expire",
    }
}

label! {
/// What failed with undo recipes that are too big for a header field.
RecipeFault {
        /// A recipe was not stored: the edits of a message cannot be undone.
        Write = "write",
        /// Old recipes were not removed.
        Expire = "expire",
    }
}

label! {
/// Whether a local recipient of a message from outside has had mail with its author before.
ContactAnswer {
        Known = "known",
        First = "first",
        /// The contact store does not go back far enough to say.
        TooEarly = "young",
    }
}

label! {
/// What failed with the contact store.
ContactFault {
        /// The file was damaged, unreadable or written under another key. All contacts are forgotten.
        Read = "read",
        Write = "write",
        /// So many addresses came that older ones are forgotten early.
        Full = "full",
    }
}

label! {
/// A part of the state directory.
StatePart {
        Journal = "journal",
        Recipes = "undo",
    }
}
