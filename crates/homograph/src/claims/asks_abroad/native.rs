//! Names in letters beyond Latin beside words that ask in any: `сбербанк-вход.рф`, `支付宝登录.com`, `сбербанк.login.top`.

use super::{HostReader, LabelStanding, Word};
use crate::characters::lookalike::{LABEL_CHARS, LookHash};
use crate::characters::reading::readings;
use crate::claims::native_in_front;
use crate::protected::organisations::Asking;

/// Characters of the shortest and the longest word that is glued to a name.
const GLUED: usize = 2;
const LONGEST: usize = 16;

impl<'n> HostReader<'n, '_> {
    /// Whether a label of several words may hold such a name: one of the words asks. They are listed as they are spelled.
    pub(super) fn may_be_asked(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.table.asking_word(word).is_some())
    }

    /// The domain of whom a word beyond Latin is the name, if the most that is said beside it counts: words that firms are
    /// named after only beside protected names, and below a domain those alone.
    pub(super) fn native(&self, name: &str, said: Word, place: LabelStanding) -> Option<&'n str> {
        if said < Word::Trade || name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let domain = native_in_front::named(name, self.table)?;
        let is_enough = said == Word::Asks && place == LabelStanding::Chosen;
        (is_enough || self.protected.covers(domain)).then_some(domain)
    }

    /// The name in a label of one word that a word of its script which asks is glued to, in front or behind.
    pub(super) fn native_glued(&self, label: &str) -> Option<&'n str> {
        if label.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let said = |word: &str| match self.table.asking_word(word) {
            Some(Asking::Surely) => Word::Asks,
            Some(Asking::Trade) => Word::Trade,
            _ => Word::Other,
        };
        let glued = |name: &str, word: &str| match said(word) {
            Word::Other => None,
            said => self.native(name, said, LabelStanding::Chosen),
        };
        let in_front = |end| {
            let (name, word) = label.split_at_checked(end)?;
            glued(name, word)
        };
        let mut in_front = self.begun(label).filter_map(in_front);
        // Most labels begin with no such word.
        let may_ask = self.table.may_begin_with_asking(label);
        let starts = label.char_indices().map(|(at, _)| at).take(LONGEST + 1).skip(GLUED);
        let starts = may_ask.then_some(starts).into_iter().flatten();
        let mut behind = starts.filter_map(|start| {
            let (word, name) = label.split_at_checked(start)?;
            glued(name, word)
        });
        in_front.next().or_else(|| behind.next())
    }

    /// Whether a label beyond Latin is a name, or has a word that asks glued to it.
    pub(super) fn may_be_native(&self, label: &str) -> bool {
        self.begun(label).last() == Some(label.len()) || self.native_glued(label).is_some()
    }

    /// Where the letters end with which some name begins.
    fn begun(&self, label: &str) -> impl Iterator<Item = usize> {
        let mut look = LookHash::EMPTY;
        label.char_indices().take(LABEL_CHARS).map_while(move |(at, c)| {
            look = match readings(c).1.first() {
                Some(reading) => look.followed_by(reading.text.bytes()),
                None => look.followed_by(c.encode_utf8(&mut [0; 4]).as_bytes()),
            };
            self.table.begins(look).then(|| at + c.len_utf8())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Names;
    use crate::claims::asks_abroad::asked_in;

    #[test]
    fn names_in_their_own_letters_beside_words_that_ask() {
        let names = Names::builtin();
        let asked = |host: &str| {
            asked_in(host, &names, &["com", "рф", "top", "ru", "kr", "cn", "jp", "net"])
        };
        for (host, name) in [
            ("сбербанк-вход.рф", "sberbank.ru"),
            ("вход-сбербанк.рф", "sberbank.ru"),
            ("сбербанквход.рф", "sberbank.ru"),
            ("входсбербанк.рф", "sberbank.ru"),
            ("госуслуги-вход.рф", "gosuslugi.ru"),
            ("госуслуги-подтверждение.рф", "gosuslugi.ru"),
            ("支付宝-登录.com", "alipay.com"),
            ("支付宝登录.com", "alipay.com"),
            ("登录支付宝.com", "alipay.com"),
            ("楽天-ログイン.com", "rakuten.co.jp"),
            ("네이버-로그인.com", "naver.com"),
            ("네이버로그인.com", "naver.com"),
            ("네이버-login.com", "naver.com"),
            ("login-支付宝.com", "alipay.com"),
            ("أبشر-دخول.com", "absher.sa"),
            ("กสิกรไทย-เข้าสู่ระบบ.com", "kasikornbank.com"),
            ("сбербанк.login.top", "sberbank.ru"),
            ("支付宝.登录.com", "alipay.com"),
            // Reviews, clubs, shops, towns, words alone, owners.
            ("сбербанк-отзывы.рф", ""),
            ("сбербанк-сервис.рф", ""),
            ("спартак-вход.рф", ""),
            ("клуб-вход.рф", ""),
            ("вход.рф", ""),
            ("вход-в-россию.рф", ""),
            ("москва-вход.рф", ""),
            ("новыйвход.рф", ""),
            ("支付宝.com", ""),
            ("登录.com", ""),
            ("安全-网.com", ""),
            ("сбербанк.рф", ""),
            ("сбербанк.evilhost.ru", ""),
            ("楽天-市場.com", ""),
        ] {
            assert_eq!(asked(host), name, "{host}");
        }
    }
}
