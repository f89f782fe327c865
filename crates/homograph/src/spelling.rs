//! Hosts and labels as they are spelled: their forms, their scripts and marks, and where an edit is due.

pub(crate) mod compared;
pub(crate) mod domain;
pub(crate) mod edit;
pub(crate) mod form;
pub(crate) mod label_context;
pub(crate) mod marks;
pub(crate) mod native;
pub(crate) mod plain_label;
pub(crate) mod script;
pub(crate) mod separators;
pub(crate) mod status;
