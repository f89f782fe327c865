//! Corpora: the same judgement over archives.
