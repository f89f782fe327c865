//! Long lists of honest links are read to their end: a sitemap with hosts and paths of one script.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

/// Words of one script, and the domain below which they are hosts.
const SCRIPTS: [(&str, &str); 6] = [
    ("дом мир город река молоко хлеб книга школа", "рф"),
    ("بيت كتاب مدرسة سوق مدينة نهر خبز سمك", "example"),
    ("บ้าน ตลาด โรงเรียน ร้าน อาหาร ทะเล ภูเขา เมือง", "com"),
    ("商店 学校 图书 食品 旅游 北京 上海 山水", "cn"),
    ("bäcker müller straße grün schön für käse köln", "de"),
    ("σπίτι βιβλίο σχολείο πόλη θάλασσα ψωμί μουσείο αγορά", "net"),
];

/// URLs of as many hosts, with `www.` and without.
fn urls(words: &str, suffix: &str, count: usize) -> Vec<String> {
    let words: Vec<&str> = words.split(' ').collect();
    let word = |n: usize| words[n % words.len()];
    let mut urls = Vec::new();
    for n in 0..count {
        let www = if n % 4 == 0 { "" } else { "www." };
        let (one, other) = (word(n), word(n / words.len() + 1));
        urls.push(format!("https://{www}{one}-{other}{n}.{suffix}/{other}/{one}-{n}"));
    }
    urls
}

#[test]
fn sitemaps_of_one_script_are_read_to_their_end() {
    for (words, suffix) in SCRIPTS {
        let urls = urls(words, suffix, 3_000);
        let text = urls.join("\r\n");
        let located = urls.iter().map(|url| format!("<url><loc>{url}</loc></url>\r\n"));
        let xml = format!(
            "<?xml version=\"1.0\"?>\r\n<urlset>\r\n{}</urlset>",
            located.collect::<String>()
        );
        let anchors = urls.iter().map(|url| format!("<a href=\"{url}\">{url}</a><br>\r\n"));
        for (kind, body) in [
            ("text/plain", text),
            ("application/xml", xml),
            ("text/html", anchors.collect::<String>()),
        ] {
            let head = format!("Content-Type: {kind}; charset=utf-8");
            let outcome = common::outcome(&head, body.as_bytes());
            assert!(outcome.bypasses.is_empty(), "{kind} {suffix} {:?}", outcome.cost);
            assert!(outcome.edits.is_empty(), "{kind} {suffix}");
        }
    }
}

/// Machines of one organisation, below departments and towns.
#[test]
fn inventories_of_hosts_of_many_labels_are_read_to_their_end() {
    let hosts = (0..300)
        .map(|n| format!("https://a{n}.сервер.отдел.город.область.компания.пример.рф/\r\n"));
    let body = hosts.collect::<String>();
    let outcome = common::outcome("Content-Type: text/plain; charset=utf-8", body.as_bytes());
    assert!(outcome.bypasses.is_empty(), "{:?}", outcome.cost);
    assert!(outcome.edits.is_empty());
}

/// In a charset of one byte a letter is half as many bytes as in UTF-8, and so are the steps of the message.
#[test]
fn sitemaps_in_a_charset_of_one_byte_are_read_to_their_end() {
    let (words, suffix) = SCRIPTS[0];
    let text = urls(words, suffix, 3_000).join("\r\n");
    for label in ["windows-1251", "koi8-r"] {
        let charset = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let (body, _, lossy) = charset.encode(&text);
        assert!(!lossy);
        let outcome = common::outcome(&format!("Content-Type: text/plain; charset={label}"), &body);
        assert!(outcome.bypasses.is_empty(), "{label} {:?}", outcome.cost);
        assert!(outcome.edits.is_empty(), "{label}");
    }
}

/// Forms write a plus for a blank, and so does UTF-7 for a letter.
#[test]
fn lists_with_signs_between_them_are_read_to_their_end() {
    for count in [150, 1_000] {
        let addresses = |sign: &str| {
            let address = |n| format!("d{n}.meier@mail{n}.stadt{n}.org");
            (0..count).map(address).collect::<Vec<String>>().join(sign)
        };
        let hosts = (0..200).map(|n| format!("www.stadt{n}-firma.de")).collect::<Vec<String>>();
        for body in [addresses("+"), addresses("+<"), addresses("\u{b7}"), hosts.join("+")] {
            let outcome =
                common::outcome("Content-Type: text/plain; charset=utf-8", body.as_bytes());
            let start = body.get(..60).unwrap_or(&body);
            assert!(outcome.bypasses.is_empty(), "{count} {start} {:?}", outcome.cost);
            assert!(outcome.edits.is_empty(), "{count} {start}");
        }
    }
}

/// Rows of directories as they are typed in languages without blanks, and with signs of typesetters: what separates two
/// names is no part of either.
#[test]
fn directories_without_blanks_are_read_to_their_end() {
    let row = |sign: &str, n: usize| {
        let host = |n: usize| format!("www.yamadaya{n}.jp");
        match sign {
            "、" => (0..5).map(|more| host(5 * n + more) + "、").collect::<String>(),
            "：" => {
                format!("株式会社山田{n}　TEL：03-1234-{n:04}／info@yamadaya{n}.jp／{}", host(n))
            }
            _ => format!("info@yamadaya{n}.jp{sign}{}", host(n)),
        }
    };
    let mut failed = Vec::new();
    for sign in ["／", "、", "：", "–", "—", "และ", "・", "｜", "，", "；", "•", "→", "|", ";", ","]
    {
        for count in [100, 1_000, 3_000] {
            let body = (0..count).map(|n| row(sign, n) + "\r\n").collect::<String>();
            let outcome =
                common::outcome("Content-Type: text/plain; charset=utf-8", body.as_bytes());
            if !outcome.bypasses.is_empty() || !outcome.edits.is_empty() {
                let per_byte = outcome.cost.all() / body.len() as u64;
                failed.push(format!("{sign} {count} {per_byte} {:?}", outcome.cost));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Rows of a table of members, as spreadsheets write them: an address and a site of each.
#[test]
fn tables_of_addresses_and_sites_are_read_to_their_end() {
    for (words, suffix) in SCRIPTS {
        let words: Vec<&str> = words.split(' ').collect();
        for (sign, count) in [(";", 350), (",", 350), (" ", 350)] {
            let rows = (0..count).map(|n| {
                let host = format!("{}-{n}.{suffix}", words[n % words.len()]);
                format!("Firma;info@{host}{sign}www.{host};+49 30 {n}\r\n")
            });
            let body = rows.collect::<String>();
            let outcome =
                common::outcome("Content-Type: text/plain; charset=utf-8", body.as_bytes());
            assert!(outcome.bypasses.is_empty(), "{suffix} {sign} {:?}", outcome.cost);
            assert!(outcome.edits.is_empty(), "{suffix} {sign}");
        }
    }
}

/// Mail that came through filters that rewrite links, one of them behind another: each link holds the next with its signs
/// escaped, and long seals.
#[test]
fn links_of_rewriters_are_read_to_their_end() {
    let escaped = |url: &str| {
        let signs =
            [("%", "%25"), (":", "%3A"), ("/", "%2F"), ("?", "%3F"), ("=", "%3D"), ("&", "%26")];
        signs.iter().fold(url.to_owned(), |url, (sign, escape)| url.replace(sign, escape))
    };
    let seal = "05%7C02%7Cann%40harbour.org%7C42d5c4506b5fe57b316b7ff0f5367b41%7C0%7C638121514988816%7CUnknown";
    let outlook = |url: &str| {
        format!(
            "https://eur02.safelinks.protection.outlook.com/?url={}&data={seal}&reserved=0",
            escaped(url)
        )
    };
    let proofpoint = |url: &str| {
        format!("https://urldefense.com/v3/__{url}__;!!0b6fe57b316b7ff0!f5367b41wUn-known$")
    };
    let article =
        |n| format!("https://www.stadt{n}-firma.de/artikel/{n}?utm_source=news&utm_id={n}");
    for layers in 1..=3 {
        let wrapped = |n| {
            let url = outlook(&article(n));
            let url = if layers > 1 { proofpoint(&url) } else { url };
            if layers > 2 { outlook(&url) } else { url }
        };
        let urls = (0..1_000).map(wrapped);
        let text: String = urls.clone().map(|url| format!("Story <{url}>\r\n")).collect();
        let page: String =
            urls.map(|url| format!("<p><a href=\"{url}\">Read the story</a></p>\r\n")).collect();
        for (kind, body) in [("text/plain", text), ("text/html", page)] {
            let outcome =
                common::outcome(&format!("Content-Type: {kind}; charset=utf-8"), body.as_bytes());
            let per_byte = outcome.cost.all() / body.len() as u64;
            assert!(outcome.bypasses.is_empty(), "{kind} {per_byte} {:?}", outcome.cost);
            assert!(per_byte <= 17, "{kind} {per_byte} {:?}", outcome.cost);
            assert!(outcome.edits.is_empty());
        }
    }
}

/// Programs that name no charset: what stands behind each site without a blank is no letter of it in any charset.
#[test]
fn directories_without_a_charset_are_read_to_their_end() {
    let row = |n| {
        format!(
            "单位{n}，网址：http://www.yamadaya{n}.cn，邮箱：info@yamadaya{n}.cn。电话：010-{n:04}\r\n"
        )
    };
    // Bytes of no known charset are read in several ways.
    for (charset, count) in [(encoding_rs::GBK, 60), (encoding_rs::UTF_8, 400)] {
        let text = (0..count).map(row).collect::<String>();
        let (body, _, lossy) = charset.encode(&text);
        assert!(!lossy);
        let outcome = common::outcome("Content-Type: text/plain", &body);
        assert!(outcome.bypasses.is_empty(), "{} {count} {:?}", charset.name(), outcome.cost);
        assert!(outcome.edits.is_empty(), "{} {count}", charset.name());
    }
}
