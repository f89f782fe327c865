//! The words beside a name: one that is a common word means its owner only among those of offices.

use crate::protected::display_text::{DisplayText, in_lower_case};
use crate::protected::name::without_number;
use crate::protected::organisations::{Counts, Organisations};

/// Words of the longest offices: `Atención al Cliente`.
const LONGEST_OFFICE: usize = 4;

/// Words that say nothing about whose office it is: what gateways and replies put in front, and what is sent.
#[rustfmt::skip]
const FILLERS: [&str; 28] = [
    "2fa", "24h", "action", "aw", "code", "codes", "donotreply", "eu", "external", "from", "fw", "fwd", "hello", "hq",
    "hr", "mfa", "nr", "num", "numero", "otp", "pin", "re", "ref", "reference", "referencia", "referenz",
    "riferimento", "urgent",
];

/// Words that join two offices to one: `Seguimiento del paquete`. Anywhere else they may be part of a person's name.
#[rustfmt::skip]
const JOINTS: [&str; 24] = [
    "al", "alla", "aux", "da", "dei", "del", "den", "dem", "do", "dos", "du", "een", "het", "och", "og", "su", "sulla",
    "van", "vom", "von", "vos", "vous", "zum", "zur",
];

/// What a word beside a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordBeside {
    /// A word of an office, up to here.
    Office(usize),
    /// Says nothing: a number, a letter, one of [`FILLERS`].
    Filler,
    /// Somebody or something else.
    Other,
}

impl DisplayText {
    /// Whether a name with this rule counts as its owner's between these letters.
    pub(crate) fn is_counted(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        start: usize,
        end: usize,
    ) -> bool {
        match counts {
            _ if table.is_some_and(|table| self.is_software(table)) => false,
            Counts::Anywhere => true,
            Counts::Nowhere | Counts::OtherOwner => false,
            Counts::Alone | Counts::AmongColleagues => {
                self.offices(table, counts, start, end).is_some()
            }
            Counts::Beside => {
                self.offices(table, counts, start, end).is_some_and(|found| found > 0)
            }
        }
    }

    /// How many offices stand beside these letters; `None` if anything else does.
    fn offices(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        start: usize,
        end: usize,
    ) -> Option<usize> {
        let (mut found, mut read) = (0, 0);
        // What stands far behind is not shown.
        let shown = self.far.filter(|far| *far >= end).unwrap_or(self.letters.len());
        let words = self.starts().take_while(|at| *at < shown);
        for at in words.filter(|at| !(start..end).contains(at)) {
            if at < read {
                continue;
            }
            let limit = if at < start { start } else { self.letters.len() };
            match self.beside(table, counts, at, limit) {
                WordBeside::Office(to) => (found, read) = (found + 1, to),
                WordBeside::Filler => {}
                WordBeside::Other if self.is_in_another_script(table, at) => {}
                WordBeside::Other if read == at && self.joins(table, counts, at, limit) => {}
                WordBeside::Other => return None,
            }
        }
        Some(found)
    }

    /// What the word that begins here is, or the words that are one office and end before the limit.
    pub(super) fn beside(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        start: usize,
        limit: usize,
    ) -> WordBeside {
        let ends = self.bounds.iter().copied().filter(|bound| *bound > start && *bound <= limit);
        let ends: Vec<_> = ends.take(LONGEST_OFFICE).collect();
        let mut longest_first = ends.iter().rev().copied();
        if let Some(end) = longest_first.find(|end| self.is_office(table, counts, start, *end)) {
            return WordBeside::Office(end);
        }
        let word = self.plain(start, ends.first().copied().unwrap_or(start));
        let says_nothing = word.chars().count() < 2
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || FILLERS.contains(&&*word);
        if says_nothing { WordBeside::Filler } else { WordBeside::Other }
    }

    /// Whether the word that begins here joins the office in front of it to one behind it.
    fn joins(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        start: usize,
        limit: usize,
    ) -> bool {
        let end = self.bounds.iter().copied().find(|bound| *bound > start);
        end.filter(|end| *end < limit).is_some_and(|end| {
            let next = || self.beside(table, counts, end, limit);
            JOINTS.contains(&&*self.plain(start, end)) && matches!(next(), WordBeside::Office(_))
        })
    }

    /// Whether these letters are an office, without the number behind it.
    pub(super) fn is_office(
        &self,
        table: Option<&Organisations>,
        counts: Counts,
        start: usize,
        end: usize,
    ) -> bool {
        let Some(table) = table else { return false };
        let is_office = |word: &str| {
            table.is_office_word(word)
                || counts == Counts::AmongColleagues && table.is_inner_office(word)
                || counts == Counts::Alone && table.is_country(word)
        };
        let word = self.plain(start, end);
        let bare = without_number(&word);
        // Letters of other scripts are words as they are spelled.
        let spelled = || in_lower_case(self.letters.get(start..end).unwrap_or_default());
        is_office(bare) || is_office(&spelled()) || table.is_mistyped_office(&word)
    }

    /// Whether the word that begins here is a name that organisations have in other letters than
    /// Latin ones, as behind their own: `Apple（アップル）`.
    fn is_in_another_script(&self, table: Option<&Organisations>, start: usize) -> bool {
        let Some(table) = table else { return false };
        let is_named = |(end, looks): (usize, Vec<u64>)| {
            let latin = |c: &char| c.is_ascii_alphabetic();
            !self.letters.get(start..end).unwrap_or_default().iter().any(latin)
                && looks
                    .into_iter()
                    .flat_map(|look| table.by_look(look, false))
                    .any(|(_, look, _)| !look.has_ascii() && self.reads_as(start, end, look))
        };
        self.spans(start, |look| table.begins(look)).any(is_named)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sender, poses};
    use crate::{Context, Names};
    use uts58::tlds::TldTable;

    /// Whom a text of `x@example.org` claims to be, to recipients at harbour.example and mailbox.example.
    fn posed(text: &str) -> Option<String> {
        posed_by(text, "example.org")
    }

    fn posed_by(text: &str, host: &str) -> Option<String> {
        let (protected, none) = (Names::builtin(), Names::default());
        let own = Names::new(["harbour.example", "mailbox.example"]);
        let tlds = TldTable::new(["com"], "");
        let context = Context { own: &own, ..crate::tests::context(&protected, &none, &tlds) };
        poses(text, Sender { local: "x", host }, &context)
    }

    #[test]
    fn words_that_are_names_mean_their_owner_beside_offices_in_any_language() {
        for office in [
            "Customer Care",
            "Fraud Prevention",
            "Dispute Resolution",
            "Password Reset",
            "Sign-in",
            "Trust & Safety",
            "KYC",
            "Shared Files",
            "Mail Quota",
            "Rückerstattung",
            "Klantenservice",
            "Espace Client",
            "Mise à jour",
            "Atención al Cliente",
            "Facturación",
            "Servizio Clienti",
            "Sicurezza",
            "Atualização",
            "Kundtjänst",
            "Asiakaspalvelu",
            "Obsługa Klienta",
            "Podpora",
            "Ügyfélszolgálat",
            "Asistență",
            "Müşteri Hizmetleri",
            "Hỗ trợ",
            "Layanan Pelanggan",
            "Layanan",
            "Khidmat",
            "Klienditugi",
            "Þjónusta",
            "Cymorth",
            "Huduma",
            "Tulong ng",
            "Yordam",
            "Appoġġ",
            "Hëllef",
            "Usizo lwe",
            "Taimakon",
            "Atilẹyin",
            "Sipò",
            "тусламж",
            "תמיכת",
            "Обслужване на клиенти",
            "Λογαριασμός",
            "الدعم",
            "پشتیبانی",
            "ग्राहक सेवा",
            "গ্রাহক সেবা",
            "ฝ่ายสนับสนุน",
            "お知らせ",
            "账单",
            "ฝ่ายบริการ",
            "Suporta ng",
            "سپورٹ",
            "សេវា",
            "Ticket 4821 Support",
            "[Ticket #4821] Support",
        ] {
            for text in [format!("Apple {office}"), format!("{office} Apple")] {
                assert_eq!(posed(&text).as_deref(), Some("apple.com"), "{text}");
            }
        }
        for country in ["France", "Deutschland", "España", "Italia", "Polska", "日本", "Ελλάδα"]
        {
            let text = format!("Apple {country}");
            assert_eq!(posed(&text).as_deref(), Some("apple.com"), "{text}");
        }
        for (text, owner) in [
            ("UPS Deutschland Kundenservice", "ups.com"),
            ("Visa Italia", "visa.com"),
            ("Support at Apple", "apple.com"),
            ("Apple Support [External]", "apple.com"),
            ("Re: Apple Support", "apple.com"),
            ("Chase Support OTP", "chase.com"),
            ("Zoom Support 2FA Code", "zoom.us"),
            ("Dear Apple Customer", "apple.com"),
            ("GLS |Seguimiento del paquete", "gls-group.com"),
            ("GLS |track&trace", "gls-group.com"),
            ("GLS-Support-Team-Ref-99", "gls-group.com"),
            ("Apple Support Ref 99", "apple.com"),
            ("Ledger-secured", "ledger.com"),
            ("Ledger Incident Response", "ledger.com"),
            ("Ledger Recovery Phrase Team", "ledger.com"),
            ("Votre colis La Poste", "laposte.fr"),
            ("Bon d'achat Apple", "apple.com"),
            ("Suivi du colis GLS", "gls-group.com"),
            ("OTTO Gewinnspiel", "otto.de"),
            ("Su paquete GLS está en espera", "gls-group.com"),
            ("GLS Paket wartet", "gls-group.com"),
            ("Apple Shopper Survey", "apple.com"),
            ("GLS Livraison en attente", "gls-group.com"),
            ("Mein Apple Konto", "apple.com"),
            ("Apple Sicherheitshinweis", "apple.com"),
            ("Apple お支払い方法", "apple.com"),
        ] {
            assert_eq!(posed(text).as_deref(), Some(owner), "{text}");
        }
        for text in [
            "Gusto Italia",
            "Discover España",
            "Visa India",
            "Harbour France",
            "Apple Wein Deutschland",
            "Italia",
            "Apple Care Farm",
            "Fidelity Trust",
            "Delta Safety Consulting",
            "Target Careers",
            "Halifax Legal",
            "Square Resolution Choir",
            "Chase Mary",
            "Chase Du",
            "Support Del Chase",
            "Chase von Trapp",
            "Delta Team van Dyke",
        ] {
            assert_eq!(posed(text), None, "{text}");
        }
    }

    #[test]
    fn offices_of_a_company_count_beside_a_name_of_the_recipients_alone() {
        for office in [
            "HR", "Payroll", "Human Resources", "HR Department", "Voicemail", "Accounts Payable",
            "Mail Server", "Server Admin", "Password Expiry", "VPN", "2FA", "Personalabteilung",
            "IT-Abteilung", "Geschäftsleitung", "Comptabilité", "Recursos Humanos",
        ] {
            let text = format!("Harbour {office}");
            assert_eq!(posed(&text).as_deref(), Some("harbour.example"), "{text}");
        }
        for text in [
            "Harbour Careers", "Harbour Legal", "Mary Harbour", "Harbour Management",
            "Apple Payroll", "Mailbox Full", "Mailbox HR",
        ] {
            assert_eq!(posed(text), None, "{text}");
        }
        assert_eq!(posed_by("Harbour HR", "harbour.example"), None);
    }

    #[test]
    fn short_names_and_those_in_other_scripts_mean_the_same_owner() {
        for (text, owner) in [
            ("M365 Admin", "microsoft.com"),
            ("MS Teams", "microsoft.com"),
            ("Azure Support", "microsoft.com"),
            ("Exchange Administrator", "microsoft.com"),
            ("AWS Billing", "amazon.com"),
            ("App Store", "apple.com"),
            ("FB Security", "facebook.com"),
            ("فريق دعم مايكروسوفت", "microsoft.com"),
            ("Служба поддержки Майкрософт", "microsoft.com"),
            ("खाता अमेज़न", "amazon.com"),
            ("苹果客服", "apple.com"),
            ("マスターカード", "mastercard.com"),
            ("滙豐銀行", "hsbc.com"),
            ("HM Revenue & Customs", "gov.uk"),
            ("HM Revenue and Customs", "gov.uk"),
            ("監理服務網", "mvdis.gov.tw"),
            ("Zásilkovna", "zasilkovna.cz"),
            ("KakaoTalk Support", "kakao.com"),
            ("Orange Account", "orange.fr"),
            ("Orange Technology", ""),
            ("NHK", ""),
            ("Azure", ""),
            ("苹果", ""),
            ("Розетка", ""),
            ("Gusto Kitchen", ""),
            ("Orange Code", ""),
            ("Azure Beach Hotel", ""),
        ] {
            assert_eq!(posed(text).unwrap_or_default(), owner, "{text}");
        }
        for (text, host) in [
            ("Deutsche Rentenversicherung Nord", "deutsche-rentenversicherung-nord.de"),
            ("Samsung Account", "account.samsung.com"),
            ("Lazada", "mail.lazada.co.th"),
            ("Azure Billing", "azure.microsoft.com"),
        ] {
            assert_eq!(posed_by(text, host), None, "{text}");
        }
    }
}
