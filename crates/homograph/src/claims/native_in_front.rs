//! The name of an organisation in letters beyond Latin, in full: in front of the domain of another
//! (`госуслуги.рф.login.top`), and as a site of its own (`госуслуги.рф`).

use crate::Judgement;
use crate::characters::lookalike::{likeness, name_look};
use crate::characters::reading::LabelChars;
use crate::protected::names::Names;
use crate::protected::organisations::registrable_label;
use crate::protected::organisations::{Counts, Organisations};
use crate::spelling::form::HostForms;
use uts58::suffixes::{BUILTIN, Section};
use uts58::unicode::a_label::PREFIX;

/// Labels of a host that are read at most.
const LABELS: usize = 8;

/// The domain of whom the labels in front of a domain name.
pub(super) fn find(front: &str, table: &Organisations) -> Option<&'static str> {
    let next = front.split('.').skip(1);
    let mut pairs = front.split('.').zip(next).take(LABELS);
    pairs.find_map(|(label, suffix)| {
        let is_in_front =
            label.starts_with(PREFIX) && BUILTIN.of_name(suffix).section == Some(Section::Icann);
        is_in_front.then(|| named(&HostForms::read(label).unicode, table)).flatten()
    })
}

/// The domain of the organisation after whose name in other letters a host is registered: `www.сбербанк.рф`. Whose it is
/// nobody knows; a reader takes it for that organisation's.
pub fn native_site(host: &Judgement, protected: &Names) -> Option<&'static str> {
    // What most hosts fail on.
    if host.labels.is_empty() {
        return None;
    }
    let label = registrable_label(&host.ascii).filter(|label| label.starts_with(PREFIX))?;
    let label = host.labels.iter().rfind(|one| one.ascii == label)?;
    named(&label.unicode, protected.organisations()?)
}

/// The domain of the organisation that a label is the name of, hyphens aside.
pub(super) fn named(label: &str, table: &Organisations) -> Option<&'static str> {
    let letters: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut names = table.by_look(name_look(&letters, |_| {}), false).peekable();
    // Most labels have the look of no name.
    names.peek()?;
    let chars = LabelChars::of(letters.chars());
    let row = names.find_map(|(row, look, counts)| {
        let counts = matches!(counts, Counts::Anywhere | Counts::Alone) && !look.has_ascii();
        (counts && likeness(chars.all(), look).is_some()).then_some(row)
    });
    row.map(|row| table.domain(row))
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Names, native_site};
    use crate::claims::organisation_inside::inside;
    use crate::judge;
    use uts58::tlds::TldTable;

    #[test]
    fn names_in_other_letters_in_front_of_the_domain_of_another() {
        let (names, none) = (Names::builtin(), Names::default());
        let tlds = TldTable::new(["com", "ru", "рф", "top", "cn"], "");
        let ascii =
            |host: &str| -> Judgement { judge(host, &crate::tests::context(&names, &none, &tlds)) };
        for (host, name) in [
            ("госуслуги.рф.evilhost.ru", "gosuslugi.ru"),
            ("www.сбербанк.com.evilhost.ru", "sberbank.ru"),
            ("支付宝.com.evilhost.ru", "alipay.com"),
            ("国民.com.evilhost.ru", ""),
            ("госуслуги.рф", ""),
            ("госуслуги.evilhost.ru", ""),
            ("новости.рф.evilhost.ru", ""),
            ("支付宝.com", ""),
        ] {
            let judged = ascii(host);
            let found = inside(&judged.ascii, &names);
            assert_eq!(found.unwrap_or_default(), name, "{host}");
        }
        for (host, name) in [
            ("госуслуги.рф", "gosuslugi.ru"),
            ("www.сбербанк.рф", "sberbank.ru"),
            ("支付宝.com", "alipay.com"),
            ("новости.рф", ""),
            ("сбербанк-отзывы.рф", ""),
            ("сбербанк.evilhost.ru", ""),
            ("sberbank.ru", ""),
            ("рф", ""),
        ] {
            let found = native_site(&ascii(host), &names);
            assert_eq!(found.unwrap_or_default(), name, "{host}");
        }
    }
}
