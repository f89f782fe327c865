//! White letters on black (`🅿🅰🆈🅿🅰🅻.ws`): signs that a host may hold as they are, since UTS #46 maps them to no letter, and
//! that everybody reads as letters.

use crate::Judgement;
use crate::hosts::host_words::{SEPARATORS, spelled};
use crate::protected::display_text::plain_letter;
use crate::protected::names::Names;

/// The known name that a label, or a word of one, is spelled as with such signs, in ASCII form.
pub fn in_signs<'n>(host: &Judgement, protected: &'n Names) -> Option<&'n str> {
    let mut labels = host.labels.iter().filter(|label| label.unicode.contains(is_sign));
    labels.find_map(|label| {
        let letters = |c| if is_sign(c) { plain_letter(c).unwrap_or(c) } else { c };
        let plain: String = label.unicode.chars().map(letters).collect();
        let plain = plain.to_ascii_lowercase();
        let mut words = [plain.as_str()].into_iter().chain(plain.split(SEPARATORS));
        words.find_map(|word| Some(&*spelled(word, protected)?.ascii))
    })
}

fn is_sign(c: char) -> bool {
    matches!(c, '\u{1f150}'..='\u{1f169}' | '\u{1f170}'..='\u{1f189}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use uts58::tlds::TldTable;

    #[test]
    fn names_in_white_letters() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "top", "ws"], "");
        for (host, name) in [
            ("🅿🅰🆈🅿🅰🅻.ws", "paypal.com"),
            ("www.🅟aypal.com", "paypal.com"),
            ("🅿aypal-login.com", "paypal.com"),
            ("🅿aypal.com.evilhost.top", "paypal.com"),
            ("🅳🅷🅻.ws", "dhl.com"),
            ("🅿arking.com", ""),
            ("🅰🅱.ws", ""),
            ("paypal.com", ""),
            ("pаypal.com", ""),
        ] {
            let judged = judge(host, &crate::tests::context(&names, &none, &tlds));
            assert_eq!(in_signs(&judged, &names).unwrap_or_default(), name, "{host}");
        }
    }
}
