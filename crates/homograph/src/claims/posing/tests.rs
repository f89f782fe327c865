use super::*;
use uts58::tlds::TldTable;

pub(super) fn posed(text: &str, address: &str) -> Option<String> {
    posed_as(Names::builtin(), text, address)
}

/// With these known organisations and two names of the recipient's.
fn posed_as(source: Names, text: &str, address: &str) -> Option<String> {
    let protected = source.extended(["examplebank.com", "acme.example", "münzhaus.example"]);
    let (own, none) =
        (Names::new(["harbour.example", "house-corp.example", "gmail.com"]), Names::default());
    let tlds = TldTable::new(["com"], "");
    let context = Context { own: &own, ..crate::tests::context(&protected, &none, &tlds) };
    let (local, host) = address.rsplit_once('@').unwrap_or_default();
    poses(text, Sender { local, host }, &context)
}

#[test]
fn names_of_others_are_found_however_they_are_written() {
    for (text, target) in [
        ("PayPal Service", "paypal.com"),
        ("Service PayPal", "paypal.com"),
        ("PAYPAL", "paypal.com"),
        ("𝗣𝗮𝘆𝗣𝗮𝗹", "paypal.com"),
        ("раураl", "paypal.com"),
        ("PаyPаl Security", "paypal.com"),
        ("PayPaI", "paypal.com"),
        ("NetFlx Billing", "netflix.com"),
        ("PaayPal Support", "paypal.com"),
        ("FaceBok Security", "facebook.com"),
        ("Pay-Pal", "paypal.com"),
        ("P a y P a l", "paypal.com"),
        ("P\u{200b}ay\u{e0101}Pal", "paypal.com"),
        ("Co\u{337}rreio\u{337}s", "correios.com.br"),
        ("\u{13de}еdgеr", "ledger.com"),
        ("TrustWallet APP", "trustwallet.com"),
        ("Trust Wallet", "trustwallet.com"),
        ("[Bradesco S/A]", "bradesco.com.br"),
        ("Apple Support", "apple.com"),
        ("UPS Paket", "ups.com"),
        ("Bank of America", "bankofamerica.com"),
        ("ExampleBank Alerts", "examplebank.com"),
        ("ACME Billing", "acme.example"),
        ("Harbour Helpdesk", "harbour.example"),
        ("House Corp", "house-corp.example"),
        ("House-Corp IT", "house-corp.example"),
        ("housecorp helpdesk", "house-corp.example"),
        ("WorldRemit Service", "worldremit.com"),
        ("Münzhaus Service", "xn--mnzhaus-n2a.example"),
        ("𝗔𝗺𝗮𝘇𝗼𝗻", "amazon.com"),
        ("ｱﾏｿﾞﾝ カスタマー", "amazon.com"),
        ("三井住友力ード", "smbc.co.jp"),
        (
            "\u{1100}\u{116e}\u{11a8}\u{1106}\u{1175}\u{11ab}\u{110b}\u{1173}\u{11ab}\u{1112}\u{1162}\u{11bc}",
            "kbstar.com",
        ),
        ("Госуслyги", "gosuslugi.ru"),
        ("PayPalcom", "paypal.com"),
        ("netflixcom Support", "netflix.com"),
        ("Cбербанк", "sberbank.ru"),
        ("DНL Express", "dhl.com"),
        ("PayPal24", "paypal.com"),
        ("DHL24", "dhl.com"),
        ("ᴅʜʟ", "dhl.com"),
        ("\u{200e}\u{2066}PayPal\u{200e} Service", "paypal.com"),
        ("Bank of England", "bankofengland.co.uk"),
        ("中国银行", "boc.cn"),
        ("PayPal™", "paypal.com"),
        ("PayPal® Service", "paypal.com"),
        ("ＰａｙＰａｌ", "paypal.com"),
        ("Ⓟⓐⓨⓟⓐⓛ", "paypal.com"),
        ("ᴘᴀʏᴘᴀʟ", "paypal.com"),
        ("🅿🅰🆈🅿🅰🅻", "paypal.com"),
        ("🅟🅐🅨🅟🅐🅛", "paypal.com"),
        ("三井住友銀行", "smbc.co.jp"),
        ("楽天市場", "rakuten.co.jp"),
        ("Amazonカスタマーサービス", "amazon.com"),
        ("Amazon.co.jpからのお知らせ", "amazon.com"),
        ("Googleアカウント", "google.com"),
        ("Google보안팀", "google.com"),
        ("PayPalサービス", "paypal.com"),
        ("Netflix고객센터", "netflix.com"),
        ("Amazon客服", "amazon.com"),
        ("支付宝客服中心", "alipay.com"),
        ("三井住友カード株式会社", "smbc.co.jp"),
        ("株式会社三井住友銀行", "smbc.co.jp"),
        ("三井住友銀行のお知らせ", "smbc.co.jp"),
        ("楽天カード株式会社", "rakuten.co.jp"),
        ("Apple サポート", "apple.com"),
        ("Appleサポートセンター", "apple.com"),
        ("アップルお客様サポート", "apple.com"),
        ("ヤマト運輸", "kuronekoyamato.co.jp"),
        ("佐川急便", "sagawa-exp.co.jp"),
        ("日本郵便", "japanpost.jp"),
        ("Госуслуги", "gosuslugi.ru"),
        ("Яндекс", "yandex.ru"),
        ("Служба поддержки Яндекс", "yandex.ru"),
        ("Тинькофф", "tbank.ru"),
        ("ВТБ", "vtb.ru"),
        ("ВТБ Онлайн", "vtb.ru"),
        ("微信", "wechat.com"),
        ("네이버", "naver.com"),
        ("국민은행", "kbstar.com"),
        ("ПриватБанк", "privatbank.ua"),
        ("Нова Пошта", "novaposhta.ua"),
        ("בנק לאומי", "leumi.co.il"),
        ("مصرف الراجحي", "alrajhibank.com.sa"),
        ("アメックス", "americanexpress.com"),
        ("ペイパル", "paypal.com"),
        ("Orange Service Client", "orange.fr"),
        ("SFR Assistance", "sfr.fr"),
        ("AOL Support", "aol.com"),
        ("INPS", "inps.it"),
        ("GMX Kundenservice", "gmx.net"),
        ("DHLExpress", "dhl.com"),
        ("DHLPaket", "dhl.com"),
        ("HSBCAlerts", "hsbc.com"),
        ("INGBank", "ing.com"),
        ("N26Support", "n26.com"),
        ("AppleIDSupport", "apple.com"),
        ("amazonservice", "amazon.com"),
        ("Linkedln", "linkedin.com"),
        ("DocuSlgn", "docusign.com"),
        ("PayPa| Service", "paypal.com"),
        ("|inkedIn", "linkedin.com"),
        ("News | PayPal", "paypal.com"),
        ("News|PayPal", "paypal.com"),
        ("ClocuSign", "docusign.com"),
        ("Annazon", "amazon.com"),
        ("楽天", "rakuten.co.jp"),
        ("アマゾン", "amazon.com"),
        ("Сбербанк", "sberbank.ru"),
        ("Sparkasse Sicherheit", "sparkasse.de"),
        ("Visa Support", "visa.com"),
        ("P@yPal Security", "paypal.com"),
        ("Micro$oft Support", "microsoft.com"),
        ("M!crosoft", "microsoft.com"),
        ("Appl€ Support", "apple.com"),
        ("Ne†flix", "netflix.com"),
        ("Faceb⚽⚽k", "facebook.com"),
        ("アマゾソ", "amazon.com"),
        ("三丼住友カ―ド", "smbc.co.jp"),
        ("Apple（アップル）", "apple.com"),
        ("Micosoft Support", "microsoft.com"),
        ("Facbook Security", "facebook.com"),
        ("Nettflix", "netflix.com"),
        ("Canada Revenue Agency", "canada.ca"),
        ("Telia Kundservice", "telia.se"),
        ("PKO Security", "pkobp.pl"),
    ] {
        assert_eq!(posed(text, "x@evil.example").as_deref(), Some(target), "{text}");
        assert_eq!(posed(text, "").as_deref(), Some(target), "{text}");
    }
}

#[test]
fn names_end_where_words_end() {
    for text in [
        "Raiffeisen Bank International AG",
        "Blood Bank International",
        "Ann in Post Room",
        "Open Sea Alliance",
        "Drop Box Furniture",
        "Sales Force Marching Band",
        "Telia Butik Skövde",
    ] {
        assert_eq!(posed(text, "x@example.org"), None, "{text}");
    }
    for (text, target) in [
        ("Drop Box Support", "dropbox.com"),
        ("Open Sea", "opensea.io"),
        ("Pay Pal Palservice Konto", "paypal.com"),
        ("Bank of America Boston", "bankofamerica.com"),
        ("paypalservice Konto", "paypal.com"),
    ] {
        assert_eq!(posed(text, "x@example.org").as_deref(), Some(target), "{text}");
    }
}

#[test]
fn people_words_and_the_organisations_themselves_are_not() {
    for (text, address) in [
        ("PayPal", "service@paypal.com"),
        ("PayPal", "service@e.paypal.co.uk"),
        ("PayPal", "service@paypal.de"),
        ("Amazon Web Services", "no-reply@amazonaws.com"),
        ("Andreas Schwab", "schwab@example.org"),
        ("Apple Pie Recipes", "x@example.org"),
        ("Gadget News: Amazon", "x@gadgetnews.example"),
        ("Gadget News: Amazon", "x@gadget-news.example"),
        ("Gerätewelt: Amazon", "x@xn--gertewelt-x2a.example"),
        ("Gera\u{308}tewelt: Amazon", "x@xn--gertewelt-x2a.example"),
        ("Münzhaus", "x@xn--mnzhaus-n2a.example"),
        ("Münzhaus", "x@xn--mnzhaus-n2a.test"),
        ("Paypalooza", "x@example.org"),
        ("Sparkasse Köln Bonn", "x@sparkasse-koelnbonn.de"),
        ("EDEKA Weber", "info@edeka-weber.de"),
        ("Google Summer of Code", "gsoc@harbour.example"),
        ("Stadtsparkasse München", "x@stadtsparkasse-muenchen.de"),
        ("Hamburger Sparkasse", "x@haspa.de"),
        ("Volksbank Mittelhessen", "x@vb-mittelhessen.de"),
        ("Commonwealth Bank of Example", "x@example.org"),
        ("B2B Support", "x@example.org"),
        ("Crédit Agricole Nord de France", "x@ca-norddefrance.fr"),
        ("Raiffeisen Oberösterreich", "x@raiffeisen-ooe.at"),
        ("CaixaBank", "x@info.caixabank.com"),
        ("SoFi Bank", "x@o.sofi.com"),
        ("Société Générale", "x@particuliers.sg.fr"),
        ("BNP Paribas Fortis", "x@bnpparibasfortis.be"),
        ("Banco Santander", "x@emailing.bancosantander.es"),
        ("DHL eCommerce Netherlands", "x@dhlecommerce.nl"),
        ("Zalando Lounge", "x@service-mail.zalando-lounge.de"),
        ("Lufthansa", "x@booking-lufthansa.com"),
        ("PayPal Giving Fund", "x@ppgivingfund.org"),
        ("Internal Revenue Service", "x@service.govdelivery.com"),
        ("USPS", "x@public.govdelivery.com"),
        ("Amazon Watch", "x@example.org"),
        ("Canada Visa Office", "x@example.org"),
        ("三井住友銀行", "x@smbc.co.jp"),
        ("Сбер", "x@sber.ru"),
        ("Microsoft Outlook", "postmaster@example.org"),
        ("Microsoft SQL Server", "sql@example.org"),
        ("Veeam Backup for Microsoft 365", "backup@example.org"),
        ("Oracle Alert", "wf@example.org"),
        ("WordPress", "wordpress@example.org"),
        ("アマゾン川クルーズ", "x@example.org"),
        ("アップル引越センター", "x@example.org"),
        ("リンゴとアップルパイ", "x@example.org"),
        ("Amazonカスタマーサービス", "x@amazon.co.jp"),
        ("三井住友カード株式会社", "x@vpass.ne.jp"),
        ("Anna Nnamdi", "x@example.org"),
        ("Claudia Clark", "x@example.org"),
        ("BTB Support", "x@example.org"),
        ("Ann|Bob", "x@example.org"),
        ("LNG Service", "x@example.org"),
        ("Orange County", "x@example.org"),
        ("UPS Store", "x@theupsstore.com"),
        ("Microsoft Rewards", "x@microsoftrewards.com"),
        ("Yahoo", "no-reply@yahoo.com"),
        ("Yahoo", "no-reply@yahoo.co.uk"),
        ("Microsoft", "x@mail.microsoft.fr"),
        ("Jane Harbour", "jane@example.org"),
        ("House Corp", "it@house-corp.example"),
        ("Jane House", "jane@example.org"),
        ("Corp House", "x@example.org"),
        ("Gmail User", "x@example.org"),
        ("Goggle Shop", "x@example.org"),
        ("Amazonia Support", "x@example.org"),
        ("Twiter Fan Club", "x@example.org"),
        ("Nettflix", "x@nettflix.example"),
        ("A$AP", "x@example.org"),
        ("Yahoo!", "no-reply@yahoo.com"),
        ("ann@example.org", "ann@example.org"),
        ("Ann 🌞 Example", "ann@example.org"),
        ("ソニー", "x@example.org"),
        ("наб", "x@example.org"),
        ("", "x@example.org"),
        ("Mail", "x@example.org"),
        ("12", "x@example.org"),
        ("Deltacom", "x@example.org"),
        ("Unionpaycompany", "x@example.org"),
        ("SNCF Connect", "x@connect.sncf"),
        ("Netflix Shop", "x@netflix.shop"),
        ("Bancolombia", "x@notificacionesbancolombia.com"),
        ("Volksbank Stuttgart", "x@news.vbstuttgart.de"),
        ("Amazon Visa", "x@chase.com"),
        ("Apple Bank", "x@applebank.com"),
        ("Amazon Web Services China", "x@amazonaws.cn"),
        ("Sparkasse Elbe-Elster", "x@spk-elbe-elster.de"),
        ("GLS Bank", "x@gls.de"),
        ("Universidad de Santander", "x@udes.edu.co"),
        ("Wells Fargo Center", "x@example.org"),
        ("Visa Cash App RB F1 Team", "x@example.org"),
    ] {
        assert_eq!(posed(text, address), None, "{text} <{address}>");
    }
    for rented in ["ec2-192-0-2-9.compute-1.amazonaws.com", "9.2.0.192.bc.googleusercontent.com"] {
        for (text, target) in [("Amazon", "amazon.com"), ("PayPal", "paypal.com")] {
            let address = format!("x@{rented}");
            assert_eq!(posed(text, &address).as_deref(), Some(target), "{text} <{address}>");
        }
    }
    assert_eq!(posed("Yahoo", "mallory77@yahoo.com").as_deref(), Some("yahoo.com"));
    for (text, address, target) in [
        ("Sparkasse", "x@sparkasse-sicherheit.de", "sparkasse.de"),
        ("Sparkasse Service", "x@sparkasse-kundenabgleich.de", "sparkasse.de"),
        ("Volksbank", "x@vr-pushtan.de", "volksbank.de"),
        ("Sparkasse", "x@sparkasse-koelnbonn.top", "sparkasse.de"),
        ("EDEKA", "x@edeka-gutschein.de", "edeka.de"),
        ("Amazon Billing", "x@caixabank.com", "amazon.com"),
        ("Yahoo", "mallory77@yahoo.co.uk", "yahoo.com"),
        ("Yahoo", "mallory77@aol.com", "yahoo.com"),
        ("Microsoft 365", "x@hotmail.fr", "microsoft.com"),
        ("Microsoft", "x@outlook.com.br", "microsoft.com"),
        ("PayPal Visa", "x@chase.com", "paypal.com"),
        ("Apple Support", "x@applebank.com.evil.example", "apple.com"),
        ("Netflix Shop", "x@netflix-billing.shop", "netflix.com"),
        ("Santander Universidad", "x@example.org", "santander.com"),
        ("Volksbank Stuttgart", "x@vbstuttgart.com", "volksbank.de"),
    ] {
        assert_eq!(posed(text, address).as_deref(), Some(target), "{text} <{address}>");
    }
    assert_eq!(posed("Trust Wallet", "x@support.example").as_deref(), Some("trustwallet.com"));
    assert_eq!(posed("Coinbase", "x@coinbase.web.app").as_deref(), Some("coinbase.com"));
}

#[test]
fn without_the_built_in_names_those_of_ones_own_count_as_ever() {
    for source in [Names::nobody(), Names::default()] {
        let posed = |text: &str| posed_as(source.clone(), text, "x@evil.example");
        assert_eq!(posed("ExampleBank Alerts").as_deref(), Some("examplebank.com"));
        assert_eq!(posed("ACME").as_deref(), Some("acme.example"));
        for text in ["Jane Harbour", "Acme Smith", "PayPal Service", "WorldRemit"] {
            assert_eq!(posed(text), None, "{text}");
        }
    }
    let posed = |text: &str| posed_as(Names::nobody(), text, "x@evil.example");
    assert_eq!(posed("ACME Billing").as_deref(), Some("acme.example"));
    assert_eq!(posed("Harbour Helpdesk").as_deref(), Some("harbour.example"));
    assert_eq!(posed("Gmail"), None, "of nobody alone");
    let both = Names::nobody().extended(["paypal.com"]);
    assert_eq!(posed_as(both, "PayPal", "x@evil.example").as_deref(), Some("paypal.com"));
}

#[test]
fn the_owner_has_its_name_in_countries_and_not_under_any_top_level_domain() {
    for tld in ["top", "icu", "xyz", "tk", "support"] {
        let address = format!("service@paypal.{tld}");
        assert_eq!(posed("PayPal", &address).as_deref(), Some("paypal.com"), "{tld}");
    }
    for tld in ["com", "de", "co.uk", "com.br", "net", "info"] {
        assert_eq!(posed("PayPal", &format!("service@paypal.{tld}")), None, "{tld}");
    }
}

#[test]
fn blanks_before_a_name_hide_nothing() {
    for blank in [" ", "\u{a0}", "\u{200e}", "\u{e0041}", "\u{2800}", "\u{200b}", "."] {
        let text = format!("{}PayPal Service", blank.repeat(1_000));
        assert_eq!(posed(&text, "x@evil.example").as_deref(), Some("paypal.com"), "{blank:?}");
    }
}

#[test]
fn a_long_name_is_read_in_part() {
    assert_eq!(posed(&"a b ".repeat(100_000), "x@evil.example"), None);
    assert_eq!(posed(&"p".repeat(100_000), "x@evil.example"), None);
    assert_eq!(posed(&"\u{430}".repeat(100_000), "x@evil.example"), None);
}
