//! Words of science, names of files and sentences without a space: what only looks like a bare host.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::prose::{edited, harmless, suspect};

#[test]
fn words_of_languages_that_read_as_a_name_mean_themselves() {
    harmless(&[
        "Shiko postën.Ne kemi shkruar",
        "Старая монета.In stock",
        "Bodi Pošten.Ne laži",
        "Carga del protón.Es positiva",
        "Glej https://www.pošten.si/ in https://monēta.lv/ in info@pošten.si",
    ]);
    edited(&[
        "see https://www.pošten.com/ now",
        "see https://монета.cz/ now",
        "see pošten.co now",
        "see https://protón.pošten.si/ now",
    ]);
    edited(&["see https://www.paypаl.com/?u=https://www.pošten.si/ now"]);
}

#[test]
fn words_of_languages_go_on_with_words_of_theirs() {
    harmless(&[
        "V atóme je protón.do neho narazil elektrón",
        "ale protón.sa nezmení",
        "El protón.la carga es positiva",
        "con un protón.se puede",
        "el protón.no existe",
        "Visita www.protón.sk, www.protón.com.mx y https://protón.es/",
        "Þetta er skríll.is það og www.skríll.is",
        "det är kräken.de vill mest, www.kräken.fi",
        "o monetă.la fel de bună",
        "este o monetă.de argint",
        "Ett äpple.se bilden nedan",
        "Les impôts.la semaine prochaine",
        "El paquete que expedía.no llegó",
        "www.céntrica.es www.céntrica.com.mx creían.es μονεταρισμού.gr αμαζόνιο.gr pošte.hr \
         almalı.com.tr abdullazadə.az www.itaú.com.br www.yapıkredi.com.tr",
    ]);
    edited(&[
        "sign in at protón.la now",
        "Melden Sie sich bei kräken.de an",
        "see https://protón.la/ now",
        "see www.protón.la now",
        "el protón.la/login existe",
        "el protón.me gusta",
        "protón.la",
        "Inicie sesión en protón.la y",
        "Přihlaste se na kašperský.to a",
        "see https://protón.harbour.mx/ now",
        "see https://www.protón.harbour.com.mx/ now",
        "www.protón.com.de",
        "www.kräken.com",
        "www.skríll.com",
    ]);
    suspect(&["www.impôts.fr", "www.expedía.es", "www.orangé.fr", "www.liberò.it"]);
}

/// Inflected words as well, and towns.
#[test]
fn words_of_a_country_are_hosts_of_it() {
    harmless(&[
        "www.äpple.se",
        "www.monetär.de und www.börger.de",
        "Es ist monetär.es gibt mehr",
        "Jött a sofőrt.is hívtuk",
        "www.sofőrt.hu www.lázadás.hu",
        "www.poště.cz www.domnívá.cz www.čsob.cz",
        "www.generáli.sk www.protóny.sk www.pošte.sk",
        "www.kråkene.no",
        "Allez voir cet opéra.la musique est belle",
        "www.allégro.fr www.cèntrica.es www.guardà.it il liberò.la mano",
        "www.ģenerāļi.lv www.monētas.lv www.posteņus.lv www.telegrāma.lv",
        "www.brno.com www.kindje.nl hanlin.cn almali.com",
    ]);
    edited(&["www.sofőrt.com", "see https://www.allégro.com/ now", "www.sofőrt.de"]);
    suspect(&[
        "www.monetär.com", "www.ģenerāli.com", "www.lázada.hu", "www.čsob.com", "kindje.com",
    ]);
}

#[test]
fn abbreviations_and_letters_of_scholars_end_sentences() {
    harmless(&[
        "segundo o artº.do Código",
        "a profª.de Matemática e o engº.de minas",
        "a Profª.Me disse",
        "am 5ᵗʰ.is",
        "The Qurʾān.In fact it says",
        "in the Qurʾān.is it so",
        "Ibn Saʿūd.it was, al-ʿAzīz.Do you",
        "the Yiśrāʾēl.is here and Ruʾyā.me",
        "Let f: ℝ.to be, in ℝⁿ.so that Aᵀ.no and vᵀ.me",
        "of 𝐯.To see, over 𝔽ₚ.So that GABAₐ.It and 5-HT₂ₐ.In are, /ha.ˈwaj.ʔi.co/",
        "for all n in ℤ.it holds, over 𝔽.is",
        "see qurʾān.com now",
    ]);
    suspect(&[
        "see www.profª.de now",
        "see profª.de/login now",
        "appª.de visª.de",
        "paypalʾān.is",
        "googlᵉ.de",
        "paypal.comʾin.me",
        "see www.ℝ.de now",
        "pᵃʸᵖᵃˡ.me",
        "𝕡𝕒𝕪.me",
    ]);
}

#[test]
fn services_are_made_verbs_of() {
    harmless(&[
        "Lo googlé.es fácil",
        "Lo googlé.no sé más",
        "J'ai googlé.et alors",
        "je l'ai googlée.ca marche",
        "il a skypé.la connexion",
        "je l'ai facebooké.il répond",
        "le whatsappé.no contesta",
    ]);
    edited(&[
        "see googlé.es now",
        "inicia sesión en googlé.es ya",
        "visita googlé.es y entra",
        "Connectez-vous sur googlé.fr et",
        "www.googlé.fr",
        "https://googlé.es/",
        "lo googlé.com ayer",
        "lo googlé.me/x ayer",
        "lo googlé.to ayer",
    ]);
}

#[test]
fn names_have_case_endings_and_sentences_begin_without_a_blank() {
    harmless(&[
        "Sledujte na Facebooku.Do toho jdeme",
        "Koupil z Amazona.Co dal",
        "Die Server Facebooks.Es gibt",
        "Adresa e-pošte.Ne odgovarajte na",
        "Скачайте его.Google Play",
        "Από την.Google Play",
    ]);
    suspect(&[
        "see facebooku.do now",
        "see Faceb00k.Do now",
        "see https://Facebooku.Do now",
        "see Facebooku.Com now",
        "see https://его.com now",
    ]);
}

#[test]
fn compounds_end_sentences_and_files_are_named_after_what_they_serve() {
    harmless(&[
        "Bitte prüfen Sie Ihr PayPal-Konto.Es wurde belastet",
        "De Facebook-account.Is dat goed?",
        "Microsoft-Support.So nicht.",
        "diff --git a/src/google_login.py b/src/google_login.py",
        "see docs/facebook-login.md and paypal-support.sh",
    ]);
    suspect(&[
        "see paypal-konto.es now",
        "see PayPal-Konto.Com now",
        "see https://PayPal-Konto.Es now",
        "see https://facebook-login.md now",
        "see login-pkobp.pl now",
        "see paypal-login.com now",
    ]);
}

#[test]
fn sentences_begin_without_a_blank_behind_a_name() {
    harmless(&[
        "please log in to PayPal.Click on the button",
        "Betala med Klarna.Om du har frågor, ring oss.",
        "Facebook.Om oss",
        "on Facebook.Live from 8 pm",
        "Instagram.Online finden Sie mehr",
        "LinkedIn.Top nabídky",
        "I paid with Amazon.Support never answered.",
    ]);
    suspect(&[
        "see paypal.click on the web",
        "see PayPal.click on the web",
        "PayPal.Click",
        "see PayPal.Click, now",
        "see https://PayPal.Click on",
        "see www.PayPal.Click on",
        "see PayPal.Click/login on",
        "see login.PayPal.Click on",
    ]);
}

#[test]
fn names_in_code_are_fields_of_objects() {
    harmless(&[
        "TypeError: paypal.login.name is not a function",
        "`amazon.account.id` is null",
        "SELECT stripe.account.id FROM stripe",
        "package com.facebook.login.app;",
        "import com.facebook.login.app",
        "  using Microsoft.Security.Services;",
        "{{ linkedin.account.id }}",
        "at com.facebook.login.app now",
        "see docs/stripe.login.md",
        "+++ b/src/google-verify.cc",
        " src/paypal-login.pl | 12 ++--",
        "paypal.com._report._dmarc.verify.com. 3600 IN TXT \"v=DMARC1;\"",
    ]);
    suspect(&[
        "see paypal.login.name now",
        "please import paypal.login.name",
        "using paypal.login.name you can",
        "(paypal.login.name)",
        "https://paypal.login.name is not a function",
        "`https://paypal.login.name`",
        "`paypal.login.name/x`",
        "see paypal-login.cc now",
        "see evil.com/paypal-login.cc and paypal-login.zip",
        "see /paypal-login.cc/x",
        "https://paypal.com._report._dmarc.verify.com/",
        "paypal.com._report._dmarc.verify.com/login",
        "src/paypal-login.cc/x",
    ]);
}

#[test]
fn science_writes_greek_letters_beside_latin_ones() {
    for word in [
        "TNFα", "IFNγ", "ERα", "RORγt", "σx", "5σ", "χ2", "TNF-α", "IL-1β", "5Ω", "PPARγ", "γH2AX",
        "NFκB", "PI3Kα", "p38α", "FcγR", "TCRαβ", "IκBα", "HIF1α", "ΔG", "kΩ", "αMEM", "Tnfα",
        "GSK-3β", "Aβ42", "17β", "DNApolα",
    ] {
        for suffix in ["is", "pl", "py", "zip", "In", "in", "Es", "de", "md", "It"] {
            harmless(&[&format!("we saw less {word}.{suffix} contrast")]);
        }
    }
    // A site that is meant as one.
    edited(&["https://TNFα.pl/", "www.IFNγ.is", "info@ERα.py"]);
    // Names that readers know, and words of two scripts that are none of science.
    edited(&[
        "see pαypal.com now", "see gοogle.In now", "see cοffee.com now", "see mybαnk.com now",
        "see mybαnk.zip now", "see uρs.is now", "see αol.pl now", "see VιSA.is now",
    ]);
    suspect(&["see χ.com now", "see VISα.com now"]);
}

#[test]
fn files_have_names_in_every_script() {
    for name in [
        "АОv1", "РС", "РСv2", "ТОp", "акт", "PDF-договор", "договор-PDF", "v2отчет", "ΙΚΑ",
        "αναφορά", "2026-דוח", "דוח-2026", "PDF-عقد", "2026-تقرير", "עברית2026", "٢٠٢٦-تقرير",
        "گزارش۲۰۲۶", "IMG-отчёт", "ОООiPhone", "ExcelАО", "ОТ-x", "отчетfinal", "報告v2",
        "보고서-v2",
    ] {
        for ending in ["zip", "md", "py", "pl", "sh", "rs", "mov", "ZIP"] {
            harmless(&[&format!("см. {name}.{ending} x")]);
        }
    }
    edited(&[
        "see раypal.zip now",
        "see аррӏе.zip now",
        "see cоffee.zip now",
        "see рayments.zip now",
        "see mуbank.zip now",
        "https://АОv1.zip/",
        "www.РСv2.zip",
        "see PDF-раypal.zip now",
        "see РАypal.zip now",
        "see KВС.zip now",
    ]);
    suspect(&[
        "https://акт.zip/",
        "https://ΙΚΑ.zip/",
        "see googlе-акт.zip now",
        "see paypal-акт.zip now",
    ]);
}

#[test]
fn sentences_follow_without_a_space() {
    harmless(&[
        "sizə kömək edəcəyik.Biz sabah gələcəyik.",
        "vă trimitem mai multe informaţii.Nu ezitaţi să ne contactaţi.",
        "við sendum það.Eg kem á morgun.",
        "eins og það.Af því að það rignir.",
        "buyurtmangiz qoʻshildi.Biz sizga xabar beramiz.",
        "Conheça nossos serviços.Se preferir, ligue.",
        "Nos gusta la música.La semana próxima.",
        "Voir la référence.Je reste à disposition.",
        "wir sprachen darüber.In der Woche",
        "wir sprachen über.In der Woche",
        "gott veður.Biz dag",
        "https://veður.biz",
    ]);
    suspect(&[
        "Log in at páypal.Com today",
        "Log in at páypal.In today",
        "Log in at gоogle.In today",
        "Log in at lınkedın.Com today",
        "Log in at ällstate.Com today",
        "Log in at mybänk.In today",
        // No sentence goes on.
        "meðical.Biz",
        "https://meðical.Biz dag",
        "gott meðical.biz dag",
        "gott meðical.BIZ dag",
    ]);
}

/// Windows consoles show UTF-8 in their own code page.
#[test]
fn punctuation_is_misread_by_consoles() {
    for before in
        ["ΓÇÿ", "ΓÇ£", "ΓÇô", "ΓåÆ", "ΓÇó", "ÔÇÿ", "ÔÇô", "ÔåÆ", "ÔćĺÔÇś", "тАШ", "тАУ", "тЖТ"]
    {
        for host in ["setup.py", "google.com", "example.com", "repo.example.org"] {
            harmless(&[
                &format!("cannot stat {before}{host}"),
                &format!("cannot stat {before}{host}ΓÇÖ: No such file"),
            ]);
        }
    }
    edited(&["see ΓÇÿрaypal.com now", "https://ΓÇÿexample.com/", "see ΓÇexample.com now"]);
}
