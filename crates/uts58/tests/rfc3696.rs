//! RFC 3696: the rules of §2, §3 and §5 and table 1 of §4.3, each row a named test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use libtest_mimic::{Arguments, Failed, Trial};
use uts58::{Address, AddressError, LocalForm, domain_to_ascii, mailto_addresses, quoted};

/// §2 and §5: names, and whether they pass.
const NAMES: &[(&str, &str, bool)] = &[
    ("§2 letters, digits, hyphen", "a-1.example.com", true),
    ("§2 a label may begin with a digit (RFC 1123)", "3com.com", true),
    ("§2 no hyphen at the beginning", "-a.example.com", false),
    ("§2 no hyphen at the end", "a-.example.com", false),
    ("§2 no other symbols", "a_b.example.com", false),
    ("§2 no blank", "a b.example.com", false),
    ("§2 one period at least", "example", false),
    ("§2 a TLD is not all-numeric", "example.123", false),
    ("§2 a trailing period is accepted", "a.b.com.", true),
    ("§2 not a period alone", ".", false),
    ("§2 no empty label", "a..com", false),
    ("§2 TLDs are not two or three letters only", "example.museum", true),
    ("§2 nor ASCII only", "example.xn--p1ai", true),
    (
        "§2 a label of 63 octets",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
        true,
    ),
    (
        "§2 a label of 64 octets",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
        false,
    ),
    ("§5 the encoded form is accepted", "xn--bcher-kva.example", true),
    ("§5 in capitals", "XN--BCHER-KVA.example", true),
    ("§5 internationalized", "bücher.example", true),
    (
        "§5 two characters and two hyphens that are not xn (a warning elsewhere)",
        "ab--c.example",
        true,
    ),
    ("§5 xn-- with something undecodable", "xn--a.example", false),
];

/// §3: addresses; the form of the local part, or nothing when it is refused.
const ADDRESSES: &[(&str, &str, Option<LocalForm>)] = &[
    ("§3 quoted by a backslash", r"Abc\@def@example.com", Some(LocalForm::Legacy)),
    ("§3 a quoted blank", r"Fred\ Bloggs@example.com", Some(LocalForm::Legacy)),
    ("§3 a quoted backslash", r"Joe.\\Blow@example.com", Some(LocalForm::Legacy)),
    ("§3 in quotation marks", r#""Abc@def"@example.com"#, Some(LocalForm::Quoted)),
    ("§3 a blank in quotation marks", r#""Fred Bloggs"@example.com"#, Some(LocalForm::Quoted)),
    ("§3 a quoted mark in marks", r#""a\"b"@example.com"#, Some(LocalForm::Quoted)),
    ("§3 a control character in marks", "\"a\u{1}b\"@example.com", Some(LocalForm::Quoted)),
    ("§3 plus", "user+mailbox@example.com", Some(LocalForm::Dotted)),
    ("§3 slash and equals", "customer/department=shipping@example.com", Some(LocalForm::Dotted)),
    ("§3 dollar", "$A12345@example.com", Some(LocalForm::Dotted)),
    ("§3 exclamation and percent", "!def!xyz%abc@example.com", Some(LocalForm::Dotted)),
    ("§3 underscore", "_somename@example.com", Some(LocalForm::Dotted)),
    ("§3 all special characters", "!#$%&'*+-/=?^_`.{|}~@example.com", Some(LocalForm::Dotted)),
    ("§3 a period does not start", ".a@example.com", None),
    ("§3 nor end", "a.@example.com", None),
    ("§3 nor stand twice", "a..b@example.com", None),
    ("§3 comma", "a,b@example.com", None),
    ("§3 bracket", "a[b@example.com", None),
    ("§3 quotation mark inside", "a\"b@example.com", None),
    ("§3 quotation mark left open", "\"ab@example.com", None),
    ("§3 blank", "a b@example.com", None),
    ("§3 an address literal", "a@[192.0.2.1]", Some(LocalForm::Dotted)),
    ("§3 an IPv6 literal (RFC 5321)", "a@[IPv6:2001:db8::1]", Some(LocalForm::Dotted)),
    ("§3 a bad literal", "a@[192.0.2.256]", None),
    ("§3 the rules of §2 for the domain", "a@-example.com", None),
    ("RFC 6531 internationalized", "δοκιμή@παράδειγμα.δοκιμή", Some(LocalForm::Dotted)),
    ("RFC 6531 no ideographic space", "a\u{3000}b@example.com", None),
];

/// §4.3, table 1. Row 3 leaves `=` bare there, against the text of the same section (S17).
const TABLE_1: &[(&str, &str)] = &[
    ("Joe@example.com", "mailto:Joe@example.com"),
    ("user+mailbox@example.com", "mailto:user%2Bmailbox@example.com"),
    (
        "customer/department=shipping@example.com",
        "mailto:customer%2Fdepartment%3Dshipping@example.com",
    ),
    ("$A12345@example.com", "mailto:$A12345@example.com"),
    ("!def!xyz%abc@example.com", "mailto:!def!xyz%25abc@example.com"),
    ("_somename@example.com", "mailto:_somename@example.com"),
];

fn main() {
    let mut trials = Vec::new();
    for (name, domain, passes) in NAMES {
        trials.push(Trial::test(format!("{name}: {domain}"), move || {
            match (domain_to_ascii(domain), passes) {
                (Ok(_), true) | (Err(_), false) => Ok(()),
                (result, _) => Err(format!("{result:?}").into()),
            }
        }));
    }
    for (name, text, form) in ADDRESSES {
        trials.push(Trial::test(format!("{name}: {text:?}"), move || {
            let found = Address::parse(text);
            if found.as_ref().ok().map(|address| address.form) == *form {
                return Ok(());
            }
            Err(format!("{found:?}").into())
        }));
    }
    for (number, (address, url)) in TABLE_1.iter().enumerate() {
        trials.push(Trial::test(
            format!("§4.3 table 1 row {}: {address}", number + 1),
            move || {
                let found = Address::parse(address)?.to_mailto();
                same(&found, url)?;
                same(&mailto_addresses(url).join(","), address)
            },
        ));
    }
    trials.push(Trial::test("§3 lengths", lengths));
    trials.push(Trial::test("§4.3 every character that must be encoded", reserved));
    trials.push(Trial::test("UTS #58 §5.3 minimal quoting", minimal_quoting));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn lengths() -> Result<(), Failed> {
    let address = |local: usize| format!("{}@example.com", "a".repeat(local));
    Address::parse(&address(64))?;
    if Address::parse(&address(65)) != Err(AddressError::LongLocalPart(65)) {
        return Err("65 octets pass".into());
    }
    let label = "a".repeat(63);
    let name = |last: usize| format!("{label}.{label}.{label}.{}.com", "a".repeat(last));
    if name(57).len() != 253
        || domain_to_ascii(&name(57)).is_err()
        || domain_to_ascii(&name(58)).is_ok()
    {
        return Err("255 octets on the wire are 253 characters".into());
    }
    Ok(())
}

fn reserved() -> Result<(), Failed> {
    for c in "%:<>#\"{}|\\^~`/?&=+@,; ".chars() {
        let local = format!(
            "\"a{}b\"",
            if matches!(c, '"' | '\\') { format!("\\{c}") } else { c.to_string() }
        );
        let text = format!("{local}@example.com");
        let url = Address::parse(&text)?.to_mailto();
        let encoded = url.strip_prefix("mailto:").unwrap().strip_suffix("@example.com").unwrap();
        if encoded.replace('%', "").contains(c) || !encoded.is_ascii() {
            return Err(format!("{c:?} stays in {url}").into());
        }
        same(&mailto_addresses(&url).join("|"), &text)?;
    }
    Ok(())
}

fn minimal_quoting() -> Result<(), Failed> {
    same(&quoted("δοκιμή.b"), "δοκιμή.b")?;
    same(&quoted("Fred \"B\""), r#""Fred \"B\"""#)?;
    same(&quoted("a..b"), r#""a..b""#)?;
    same(&quoted(r"a\b"), r#""a\\b""#)
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(format!("expected: {expected}\n   found: {found}").into())
}
