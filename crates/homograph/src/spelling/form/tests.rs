use super::*;

fn reasons(spelling: &str) -> Vec<(Reason, Verdict)> {
    let form = HostForms::read(spelling);
    let parts = form.parts.iter().flat_map(|part| part.problems.clone());
    form.problems.iter().copied().chain(parts).collect()
}

#[test]
fn addresses_are_read_as_browsers_read_them() {
    for (spelled, plain) in [
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0300.0250.01", "192.168.0.1"),
        ("１２７.0.0.1", "127.0.0.1"),
        ("0x", "0.0.0.0"),
        ("①②⑦.⓪.⓪.①", "127.0.0.1"),
        ("𝟭𝟮𝟳.0.0.1", "127.0.0.1"),
    ] {
        let form = HostForms::read(spelled);
        assert_eq!(form.ascii, plain, "{spelled}");
        assert!(
            reasons(spelled).contains(&(Reason::NumericHost, Verdict::Suspect))
                || spelled.contains('１')
        );
    }
    assert_eq!(reasons("192.0.2.1"), []);
    assert_eq!(HostForms::read("[2001:DB8::1]").ascii, "[2001:db8::1]");
    for bad in ["256.1.1.1", "1.2.3.4.5", "[::g]", "example.09"] {
        assert!(reasons(bad).contains(&(Reason::IdnaInvalid, Verdict::Invalid)), "{bad}");
    }
}

/// S28.
#[test]
fn form_is_lenient() {
    assert_eq!(reasons("my_bucket.s3.amazonaws.com"), []);
    assert_eq!(reasons("r3---sn-4g5e.googlevideo.com"), [(Reason::HyphenPrefix, Verdict::Notice)]);
    assert_eq!(HostForms::read("Example.COM.").ascii, "example.com");
    assert_eq!(reasons("foo-.example.com"), [(Reason::IdnaInvalid, Verdict::Notice)]);
    assert_eq!(reasons("foo..com"), [(Reason::IdnaInvalid, Verdict::Invalid)]);
    assert_eq!(reasons("exa mple.com"), [(Reason::IdnaInvalid, Verdict::Invalid)]);
}

#[test]
fn a_spelling_beyond_the_limit_is_invalid() {
    // Soft hyphens are mapped to nothing: a long spelling of a short name.
    let spelled = |count: usize| format!("a{}.com", "\u{ad}".repeat(count));
    assert_eq!(HostForms::read(&spelled(100)).ascii, "a.com");
    let long = reasons(&spelled(SPELLING_BYTES));
    assert!(long.contains(&(Reason::IdnaInvalid, Verdict::Invalid)), "{long:?}");
}

#[test]
fn signs_have_their_leads() {
    for c in ('\u{80}'..=char::MAX).filter(|c| is_dot(*c) || is_bidi_control(*c)) {
        assert!(c.encode_utf8(&mut [0; 4]).bytes().next().is_some_and(may_begin_sign), "{c:?}");
    }
}

#[test]
fn settled_labels_are_what_uts_46_makes_of_them() {
    for (label, is) in [
        ("Bücher_1", true),
        ("пример-", true),
        ("例子", true),
        ("Пример", false),
        ("xn--é", false),
        ("مثال", true),
        ("مثال-2", false),
        ("2مثال", false),
        ("हिन्दी", true),
        ("\u{93f}क", false),
        ("e\u{301}é", false),
        ("é!", false),
    ] {
        let found = settled(label);
        assert_eq!(found.is_some(), is, "{label}");
        let mapped = Uts46::new().to_unicode(label.as_bytes(), DENIED, Hyphens::Allow);
        assert!(found.is_none_or(|found| mapped.1.is_ok() && found == mapped.0), "{label}");
    }
}

#[test]
fn names_take_their_forms() {
    let form = HostForms::read("Пример。РФ");
    assert_eq!(form.ascii, "xn--e1afmkfd.xn--p1ai");
    assert_eq!(form.unicode, "пример.рф");
    assert_eq!(form.problems, [(Reason::DotVariant, Verdict::Notice)]);
    assert_eq!(HostForms::read("xn--e1afmkfd.com").unicode, "пример.com");
    assert_eq!(HostForms::read("%70aypal.com").problems, [(Reason::EncodedHost, Verdict::Suspect)]);
    assert_eq!(HostForms::read("%D1%8F.рф").problems, []);
    assert_eq!(reasons("pay\u{ad}pal.com"), [(Reason::InvisibleRemoved, Verdict::Notice)]);
    assert_eq!(
        HostForms::read("a\u{202e}b.com").problems,
        [(Reason::BidiControl, Verdict::Invalid)]
    );
}
