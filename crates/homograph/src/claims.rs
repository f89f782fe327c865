//! What texts of mail and names of senders claim: whose name they give, and whether they ask for something in it.

pub(crate) mod asking_domain;
pub(crate) mod asks_abroad;
pub(crate) mod beginnings;
pub(crate) mod disguise;
pub(crate) mod drawn_slash;
pub(crate) mod letter_signs;
pub(crate) mod native_in_front;
pub(crate) mod of_no_language;
pub(crate) mod organisation_drawn;
pub(crate) mod organisation_inside;
pub(crate) mod own_inside;
pub(crate) mod posing;
pub(crate) mod short_domain;
pub(crate) mod signs_as_letters;
pub(crate) mod twin_hosts;
