//! Rules and lists: which settings hold for this envelope.
