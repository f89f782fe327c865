//! The words of labels: small enums, so that no input ever becomes one.

use std::fmt::{self, Write};

use prometheus_client::encoding::{EncodeLabelValue, LabelValueEncoder};

/// An enum whose variants are the words of a label.
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
/// What the DNS said of a top-level domain.
DnsAnswer {
        Exists = "exists",
        Missing = "missing",
        /// Timeout, SERVFAIL, refused.
        Unverified = "unverified",
    }
}

label! {
/// What a block list said of a domain.
ListAnswer {
        Listed = "listed",
        Clean = "clean",
        /// It does not answer us: a public resolver, too many queries, a wrong key.
        Refused = "refused",
        /// An address that means nothing in its form.
        Odd = "odd",
        /// Timeout, SERVFAIL, not asked since it was silent or refused before.
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
/// Whether a cache had it.
Lookup {
        Hit = "hit",
        Miss = "miss",
    }
}

label! {
/// How a connection failed.
ConnectionFault {
        /// `accept` refused: descriptors or memory ran out.
        Accept = "accept",
        /// The MTA sent what the protocol does not allow.
        Protocol = "protocol",
        /// The MTA went away in the middle.
        Io = "io",
        /// The MTA fell silent.
        Timeout = "timeout",
        /// More connections than the configuration allows.
        Limit = "limit",
        /// Too many bytes of messages in memory: the message was put off.
        Memory = "memory",
        /// Still busy when the time to stop was over.
        Drain = "drain",
    }
}

label! {
/// How something ended that either works or does not.
Ended {
        Well = "ok",
        Failed = "failed",
    }
}

label! {
/// What kept an event out of the journal, or the journal from its upkeep.
JournalFault {
        /// There is no journal: its directory cannot be had.
        Open = "open",
        /// The disk is slower than the mail.
        QueueFull = "queue-full",
        Write = "write",
        Sync = "sync",
        Expire = "expire",
    }
}

label! {
/// What happened to recipes that take edits back and are too big for a header field.
RecipeFault {
        /// Not kept: the edits of a message cannot be undone.
        Write = "write",
        /// Old ones stay longer than they should.
        Expire = "expire",
    }
}

label! {
/// Whether the author of a message from outside is known to somebody who gets it.
ContactAnswer {
        Known = "known",
        First = "first",
        /// What is remembered does not go back far enough to say.
        Young = "young",
    }
}

label! {
/// What is wrong with what is remembered of authors.
ContactFault {
        /// The file was damaged, unreadable or under another key: everybody is forgotten.
        Read = "read",
        Write = "write",
        /// So many addresses came that older ones are forgotten before their time.
        Full = "full",
    }
}

label! {
/// What is kept in the state directory.
Kept {
        Journal = "journal",
        Recipes = "undo",
    }
}
