//! What texts of mail and names of senders claim: whose name they give, and whether they ask for something in it.

mod asking_domain;
mod asks_abroad;
mod disguise;
mod drawn_slash;
mod letter_signs;
mod named_by_host;
mod native_in_front;
mod of_no_language;
mod organisation_drawn;
mod organisation_inside;
mod own_inside;
mod posing;
mod short_domain;
mod signs_as_letters;
mod twin_hosts;
mod words_inside;

pub use crate::characters::reading::all_readings;
pub use crate::hosts::{
    government::is_government_site, honest_neighbours::means_itself_at,
    host_words::may_stand_beside,
};
pub use crate::links::wrappers::name_end_in_host;
pub use crate::protected::{
    display_text::{SHOWN, plain_letter, reads_as_dot, reads_as_hyphen},
    organisations::claimed::is_given_away,
};
pub use crate::spelling::domain::end_alike;
pub use {
    asks_abroad::{LABEL_WORDS, asks_in_path, at_hoster},
    disguise::{Disguise, disguised},
    letter_signs::in_signs,
    named_by_host::named_by_host,
    native_in_front::native_site,
    organisation_drawn::{exchanges_l_and_i, is_in_own_letters},
    organisation_inside::may_ask,
    own_inside::{Correspondent, is_namesake, own_inside, writes_out},
    posing::{Beside, BesideWord, Sender, beside, poses, words},
    short_domain::is_in_short_domain,
    twin_hosts::{are_twin_hosts, asks_beside, stands_in_front},
    words_inside::reads_as_english,
};

use crate::Names;

/// Whether a word, in plain small letters, is the name of an organisation and of nothing else: no word, no surname.
pub fn is_distinctive(word: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.is_distinctive(word))
}

/// Whether mail of the host may be in the name of whom the domain `owner` represents, by a table beside that of
/// owners: a further domain of his, or of a partner.
pub fn says_rightly(owner: &str, ascii: &str, protected: &Names) -> bool {
    protected.organisations().is_some_and(|table| table.says_rightly(owner, ascii))
}
