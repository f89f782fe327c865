//! Letters of many scripts that read as Latin ones in well-known names, and the honest hosts that have them.
#![allow(clippy::unwrap_used)]

use homograph::{Context, Edit, HostBounds, Judgement, Names, RestrictionLevel, Verdict, judge};
use uts58::tlds::TldTable;

fn judged(host: &str) -> Judgement {
    let (protected, none) = (Names::builtin(), Names::default());
    let tlds = TldTable::new(["ai", "com", "de", "jp", "tv", "ua"], "");
    let context = Context {
        level: RestrictionLevel::HighlyRestrictive,
        protected: &protected,
        own: &none,
        blocked: &none,
        tlds: &tlds,
        bounds: HostBounds::Certain,
    };
    judge(host, &context)
}

fn mistaken(host: &str, target: &str) {
    let Judgement { verdict, edit, target: found, .. } = judged(host);
    assert!(verdict >= Verdict::Suspect && edit >= Edit::Link, "{host}: {verdict} {edit:?}");
    assert_eq!(found.as_deref(), Some(target), "{host}");
}

#[test]
fn names_in_twins_are_seen_in_longer_labels() {
    for host in [
        "аррӏерау.com",
        "аррӏеһеӏр.com",
        "рауаррӏе.com",
        "аррӏеіԁ.com",
        "аррӏерау.ru",
        "ᎪᏢᏢᏞᎬᏢᎪᎽ.com",
        "ꓮꓑꓑꓡꓰꓲꓓ.com",
    ] {
        mistaken(host, "apple.com");
    }
    mistaken("раураӏѕ.com", "paypal.com");
}

#[test]
fn rings_bars_and_letters_are_read() {
    for ring in "ᱛ᱐ⵙ꧆𑫤𐐫𐓫༠ㅁ○".chars() {
        mistaken(&format!("g{ring}{ring}gle.com"), "google.com");
    }
    for bar in "𑀭𖩙𑫥𐍘ㅣ〡꡶❘⏐❙".chars() {
        mistaken(&format!("paypa{bar}.com"), "paypal.com");
    }
    for (host, target) in [
        ("ⴖetflix.com", "netflix.com"),
        ("netfliⵅ.com", "netflix.com"),
        ("ᕈayᕈal.com", "paypal.com"),
        ("miͼrosoft.com", "microsoft.com"),
        ("𐊯aypal.com", "paypal.com"),
        ("ⲣⲁⲩⲣⲁⲗ.com", "paypal.com"),
    ] {
        mistaken(host, target);
    }
}

#[test]
fn kana_and_ideographs_are_read_among_latin_letters() {
    for (host, target) in [
        ("netfliメ.com", "netflix.com"),
        ("netfliヌ.com", "netflix.com"),
        ("paypaレ.com", "paypal.com"),
        ("paypaリ.com", "paypal.com"),
        ("リnkedin.com", "linkedin.com"),
        ("てwitter.com", "twitter.com"),
        ("micro弓oft.com", "microsoft.com"),
        ("fac巨book.com", "facebook.com"),
    ] {
        mistaken(host, target);
    }
    for host in [
        "リレー.com", "メモ.com", "ムービーtv.com", "gameリスト.jp", "又.com", "メ.com",
        "ムリ.com", "netメモ.com",
    ] {
        let judgement = judged(host);
        assert!(judgement.verdict < Verdict::Suspect, "{host}: {}", judgement.verdict);
    }
}

#[cfg(feature = "senders")]
#[test]
fn accents_disguise_names_that_became_known_since() {
    for (host, target) in [
        ("appleíd.com", "appleid.com"),
        ("àppleid.com", "appleid.com"),
        ("applepáy.com", "applepay.com"),
        ("steám.com", "steam.tv"),
        ("claudė.ai", "claude.ai"),
        ("robinhoód.com", "robinhood.com"),
        ("lloydś.com", "lloyds.com"),
        ("cashápp.com", "cashapp.com"),
        ("doordaśh.com", "doordash.com"),
        ("turbotáx.com", "turbotax.com"),
        ("coupańg.com", "coupang.com"),
    ] {
        mistaken(host, target);
    }
    for host in ["appleid.com", "steam.com", "claude.de", "želje.com", "tešla.com", "telegra.ph"]
    {
        assert_eq!(judged(host).verdict, Verdict::Ok, "{host}");
    }
}
