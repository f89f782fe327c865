use super::format::field_digest;
use super::*;
use crate::edit::{HeadEdit, RawEdit};
use crate::splice::fields::header_fields;
use crate::splice::{apply, apply_head};

const HEAD: &[u8] = b"Subject: one\r\n two\r\nTo: x@example.org\r\n";
const BODY: &[u8] = b"see http://a.example/ now\r\nand http://b.example/\r\nbye\r\n";

fn edit(body: &[u8], from: &str, to: &str) -> RawEdit {
    let at = memchr::memmem::find(body, from.as_bytes()).unwrap();
    RawEdit { range: at..at + from.len(), replacement: to.as_bytes().to_vec().into() }
}

fn head_edits() -> Vec<HeadEdit> {
    let end = HEAD.len();
    let make = |name: &str, range, value: &[u8]| HeadEdit {
        name: name.to_owned(),
        index: 1,
        range,
        value: value.to_vec(),
    };
    vec![
        make("Subject", 8..18, b" [tag] one\r\n two"),
        make("Content-Transfer-Encoding", end..end, b" quoted-printable"),
    ]
}

/// The filtered message: its header with our field, its body, and the recipe.
fn filtered(key: Option<&[u8]>, cap: Option<usize>) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let edits = [
        edit(BODY, "http://a.example/", "hxxp://a[.]example/"),
        edit(BODY, "b.example/\r\n", "b\r\n\r\n"),
    ];
    let recipe = recipe(HEAD, BODY, &edits, &head_edits());
    let (field, _) = fields::undo(&recipe, cap, key);
    let mut head = apply_head(HEAD, &head_edits());
    head.extend_from_slice(
        format!("{}: {}\r\n", field.name, field.value.replace('\n', "\r\n")).as_bytes(),
    );
    (head, apply(BODY, &edits).to_vec(), recipe)
}

fn lf(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_bytes()
}

#[test]
fn restores_the_original() {
    let (head, body, _) = filtered(Some(b"key"), None);
    let restored = restore(&head, &body, Some(b"key"), |_| None).unwrap();
    assert_eq!((restored.head.as_slice(), restored.body.as_slice()), (HEAD, BODY));
    assert_eq!(restored.seal, SealedBy::Ours);
    assert_eq!(restore(&head, &body, Some(b"no"), |_| None).unwrap().seal, SealedBy::Foreign);
    assert_eq!(restore(&head, &body, None, |_| None).unwrap().seal, SealedBy::Unknown);
}

/// Some programs take the last line end away.
#[test]
fn restores_a_body_without_its_last_line_end() {
    let (head, body, _) = filtered(None, None);
    let shorter = body.strip_suffix(b"\r\n").unwrap();
    assert_eq!(restore(&head, shorter, None, |_| None).unwrap().body, BODY);
    let (head, body) = (lf(&head), lf(&body));
    let shorter = body.strip_suffix(b"\n").unwrap();
    assert_eq!(restore(&head, shorter, None, |_| None).unwrap().body, lf(BODY));
    assert!(restore(&head, &shorter[..shorter.len() - 1], None, |_| None).is_err());
}

#[test]
fn accepts_a_copy_with_bare_line_feeds() {
    let (head, body, _) = filtered(None, None);
    let restored = restore(&lf(&head), &lf(&body), None, |_| None).unwrap();
    assert_eq!((restored.head, restored.body), (lf(HEAD), lf(BODY)));
}

/// A field whose fold ends otherwise than the lines beside it, which alone tell how the copy is stored.
#[test]
fn a_header_with_both_line_ends_comes_back() {
    for (head, new) in [
        (&b"Subject: one\r\n two\nTo: x@example.org\n"[..], &b" one\n two"[..]),
        (b"Subject: one\n two\r\nTo: x@example.org\r\n", b" one two"),
        (b"Subject: one\n two\r\n three\nTo: x@example.org\n", b" [tag] one"),
    ] {
        let end = head.windows(3).position(|bytes| bytes == b"To:").unwrap();
        let end = head[..end].trim_ascii_end().len();
        let value = new.to_vec();
        let edits = [HeadEdit { name: "Subject".to_owned(), index: 1, range: 8..end, value }];
        let (field, _) = fields::undo(&recipe(head, BODY, &[], &edits), None, None);
        let mut filtered = apply_head(head, &edits);
        filtered.extend_from_slice(format!("{}: {}\n", field.name, field.value).as_bytes());
        assert_eq!(restore(&filtered, BODY, None, |_| None).unwrap().head, head);
    }
}

#[test]
fn refuses_a_body_that_was_changed() {
    let (head, mut body, _) = filtered(None, None);
    body.push(b'!');
    let error = restore(&head, &body, None, |_| None).unwrap_err();
    assert!(matches!(error, RestoreError::Disagrees { .. }), "{error}");
    assert_eq!(restore(&head, b"x", None, |_| None), Err(RestoreError::DoesNotFit));
    assert_eq!(restore(HEAD, BODY, None, |_| None), Err(RestoreError::NoRecipe));
}

#[test]
fn line_ends_that_mailboxes_and_lists_added_do_not_matter() {
    let (head, body, _) = filtered(None, None);
    for (added, restored) in [(1, true), (2, true), (3, true), (50, true), (1_000, false)] {
        let more = [body.as_slice(), &b"\r\n".repeat(added)].concat();
        let found = restore(&head, &more, None, |_| None);
        assert_eq!(found.is_ok_and(|found| found.body == BODY), restored, "{added}");
        let found = restore(&lf(&head), &lf(&more), None, |_| None);
        assert_eq!(found.is_ok_and(|found| found.body == lf(BODY)), restored, "{added}");
    }
    let spaced = [body.as_slice(), b"\r\n \r\n"].concat();
    assert!(restore(&head, &spaced, None, |_| None).is_err(), "a blank is no line end");
}

#[test]
fn a_big_recipe_is_kept_elsewhere() {
    let (head, body, recipe) = filtered(None, Some(100));
    let name = digest(&recipe);
    let error = restore(&head, &body, None, |_| None).unwrap_err();
    assert_eq!(error, RestoreError::NotHere(name.clone()));
    let found = restore(&head, &body, None, |asked| (asked == name).then(|| recipe.clone()));
    assert_eq!(found.unwrap().body, BODY);
    let forged = restore(&head, &body, None, |_| Some(b"other".to_vec())).unwrap_err();
    assert!(matches!(forged, RestoreError::Malformed(_)));
}

/// Each field is tried on the result of the others.
#[test]
fn recipes_are_bounded() {
    let field = "X-Linkmilter-Undo: v=1; z=AAAA\r\n";
    let asked = std::cell::Cell::new(0);
    let stored = format!("X-Linkmilter-Undo: v=1; file={}\r\n", "a".repeat(64));
    let head = field.repeat(5_000) + &stored.repeat(5_000);
    let refused = restore(head.as_bytes(), b"text\r\n", None, |_| {
        asked.set(asked.get() + 1);
        None
    });
    assert!(refused.is_err() && asked.get() <= RECIPES);
    let refused = restore(stored.repeat(5_000).as_bytes(), b"text\r\n", None, |_| {
        asked.set(asked.get() + 1);
        None
    });
    assert!(refused.is_err() && asked.get() <= RECIPES);
}

/// For each field the whole header is searched: many would cost its length each.
#[test]
fn recipes_with_many_fields_are_refused() {
    let edits = [edit(BODY, "http://a.example/", "hxxp://a[.]example/")];
    let body = super::super::apply(BODY, &edits).to_vec();
    let restored = |count: usize| {
        let head_edits = vec![head_edits()[0].clone(); count];
        let (field, _) = fields::undo(&recipe(HEAD, BODY, &edits, &head_edits), None, None);
        let head = [HEAD, format!("{}: {}\r\n", field.name, field.value).as_bytes()].concat();
        restore(&head, &body, None, |_| None).is_ok()
    };
    assert!(restored(2));
    assert!(!restored(1 + FIELDS as usize));
}

fn with_field(head: &[u8], value: &str) -> Vec<u8> {
    [format!("{}: {value}\r\n", fields::UNDO).as_bytes(), head].concat()
}

/// The same header with another Subject, or without one.
fn with_subject(head: &[u8], subject: Option<&str>) -> Vec<u8> {
    let field = header_fields(head).find(|field| field.is_named(head, b"subject")).unwrap();
    let line = subject.map_or_else(String::new, |text| format!("Subject:{text}\r\n"));
    [&head[..field.line.start], line.as_bytes(), &head[field.line.end..]].concat()
}

/// A list added its tag, or a gateway dropped the field: without a person who asks, that is kept.
#[test]
fn a_subject_that_somebody_changed_later_is_overwritten_for_who_asks_alone() {
    let (head, body, _) = filtered(Some(b"key"), None);
    for (subject, changed) in [
        (Some(" [tag] one\r\n two"), false),
        (Some("[tag]\r\n\tone  two "), false),
        (Some(" one two"), false),
        (Some(" [list] [tag] one two"), true),
        (Some(""), true),
        (None, true),
    ] {
        let head = with_subject(&head, subject);
        let asked = restore(&head, &body, Some(b"key"), |_| None).unwrap();
        assert_eq!(asked.body, BODY);
        assert_eq!(asked.overwritten == ["Subject"], changed, "{subject:?}");
        assert!(subject.is_none() || asked.head == HEAD, "{subject:?}");
        let unasked = restore_as(&head, &body, &[b"key"], Believe::Sealed, |_| None);
        let field = header_fields(&head).find(|field| field.is_named(&head, b"X-Linkmilter-Undo"));
        let value = field.unwrap().text(&head);
        let without = fields::without_ours(&head);
        let one = restore_one(&without, &body, &value, |_| None);
        if changed {
            let why = RestoreError::Rewritten("Subject".to_owned());
            assert_eq!((unasked, one), (Err(why.clone()), Err(why)));
        } else {
            assert_eq!(unasked.unwrap().head, HEAD);
            assert_eq!(one.unwrap().0, HEAD);
        }
    }
}

/// Older recipes have no digests of new values.
#[test]
fn a_recipe_of_version_1_is_read() {
    let (head, body, packed) = filtered(None, None);
    let mut plain = packing::inflate(&packed, 1 << 20).unwrap();
    plain[0] = 1;
    for value in [&b" [tag] one\r\n two"[..], b" quoted-printable"] {
        let digest = field_digest(value);
        let at = memchr::memmem::find(&plain, &digest).unwrap();
        plain.drain(at..at + digest.len());
    }
    let (field, _) = fields::undo(&packing::deflate(&plain), None, None);
    let head = with_field(&fields::without_ours(&head), &field.value.replace('\n', "\r\n"));
    let restored = restore(&head, &body, None, |_| None).unwrap();
    assert_eq!((restored.head.as_slice(), restored.body.as_slice()), (HEAD, BODY));
    let head = with_subject(&head, Some(" other"));
    assert_eq!(restore(&head, &body, None, |_| None).unwrap().head, HEAD);
}

#[test]
fn two_filters_are_undone_in_turn() {
    let (head, body, _) = filtered(None, None);
    let again = [edit(&body, "bye", "see you")];
    let recipe = recipe(&head, &body, &again, &[]);
    let (field, _) = fields::undo(&recipe, None, None);
    let mut twice = format!("{}: {}\r\n", field.name, field.value).into_bytes();
    twice.extend_from_slice(&head);
    let body = apply(&body, &again).to_vec();
    assert_eq!(restore(&twice, &body, None, |_| None).unwrap().body, BODY);
}

/// Recipes that are trusted when originals are restored automatically.
mod sealed {
    use super::*;

    fn sealed(keys: &[&[u8]], head: &[u8], body: &[u8]) -> Result<Restored, RestoreError> {
        restore_as(head, body, keys, Believe::Sealed, |_| None)
    }

    #[test]
    fn a_seal_of_any_key_of_ours_counts_and_no_other() {
        let (head, body, _) = filtered(Some(b"old"), None);
        assert_eq!(sealed(&[b"new", b"old"], &head, &body).unwrap().body, BODY);
        assert_eq!(sealed(&[b"new"], &head, &body), Err(RestoreError::Foreign));
        assert_eq!(sealed(&[], &head, &body), Err(RestoreError::Foreign));
        let (bare, body, _) = filtered(None, None);
        assert_eq!(sealed(&[b"old"], &bare, &body), Err(RestoreError::Foreign));
        assert_eq!(sealed(&[b"old"], HEAD, &body), Err(RestoreError::NoRecipe));
    }

    #[test]
    fn a_forged_recipe_beside_a_sealed_one_is_not_tried() {
        let (head, body, recipe) = filtered(Some(b"key"), None);
        let forged = edit(&body, "bye", "bye http://evil.example/");
        let from = [RawEdit { range: forged.range.clone(), replacement: b"bye".to_vec().into() }];
        let evil = apply(&body, std::slice::from_ref(&forged)).to_vec();
        // A recipe of an attacker, which would turn the edited body into another one.
        let back = super::super::recipe(HEAD, &evil, &from, &[]);
        for (value, _) in [
            fields::undo(&back, None, None),
            fields::undo(&back, None, Some(b"other")),
            fields::undo(&recipe, None, None),
        ] {
            let head = with_field(&head, &value.value.replace('\n', "\r\n"));
            assert_eq!(sealed(&[b"key"], &head, &body).unwrap().body, BODY);
        }
        let many: Vec<u8> =
            (0..20).fold(head, |head, _| with_field(&head, "v=1; z=AAAA; seal=AAAA"));
        assert_eq!(
            sealed(&[b"key"], &many, &body).unwrap().body,
            BODY,
            "forged ones crowd none out"
        );
    }

    /// Applied to any body, a sealed recipe restores the body that it was made for, or nothing.
    #[test]
    fn a_replayed_recipe_fits_no_other_body() {
        let (head, body, _) = filtered(Some(b"key"), None);
        for at in 0..body.len() {
            let mut other = body.clone();
            other[at] ^= 1;
            if let Ok(restored) = sealed(&[b"key"], &head, &other) {
                assert_eq!(restored.body, BODY, "a byte that the recipe replaces: {at}");
            }
        }
        for other in [&b""[..], b"text\r\n", BODY, &[&body[..], b"-- \r\nfooter\r\n"].concat()] {
            assert!(sealed(&[b"key"], &head, other).is_err());
        }
    }

    /// A recipe with bytes missing, repeated or changed, but with our seal, restores the original body or
    /// nothing. If it is stored in a file, its digest is checked first.
    #[test]
    fn a_recipe_with_holes_gives_the_original_or_nothing() {
        let (_, body, recipe) = filtered(None, None);
        let plain = packing::inflate(&recipe, 1 << 20).unwrap();
        let holes = |plain: &[u8]| {
            let mut all = Vec::new();
            for from in 0..plain.len() {
                all.push(plain[..from].to_vec());
                for to in from + 1..=plain.len().min(from + 8) {
                    all.push([&plain[..from], &plain[to..]].concat());
                    all.push([&plain[..to], &plain[from..]].concat());
                }
                for byte in [0, 1, 0x7f, 0xff] {
                    let mut other = plain.to_vec();
                    other[from] = byte;
                    all.push(other);
                }
            }
            all
        };
        let (mut given, mut refused) = (0, 0);
        for holed in holes(&plain) {
            let (field, _) = fields::undo(&packing::deflate(&holed), None, Some(b"key"));
            let holed = with_field(HEAD, &field.value.replace('\n', "\r\n"));
            match sealed(&[b"key"], &holed, &body) {
                Ok(restored) => {
                    assert_eq!(restored.body, BODY);
                    given += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 1_000 && refused > 3 * given, "{refused} refused, {given} restored");
        let (elsewhere, ..) = filtered(Some(b"key"), Some(100));
        for holed in holes(&recipe).into_iter().filter(|holed| *holed != recipe) {
            let stored = |_: &str| Some(holed.clone());
            let found = restore_as(&elsewhere, &body, &[b"key"], Believe::Sealed, stored);
            assert!(matches!(found, Err(RestoreError::Malformed(_))), "{found:?}");
        }
    }

    #[test]
    fn a_sealed_value_that_was_touched_is_foreign() {
        let (field, _) = fields::undo(&filtered(None, None).2, None, Some(b"key"));
        let dense: String = field.value.split_ascii_whitespace().collect();
        let body = filtered(None, None).1;
        for at in 0..dense.len() {
            let mut bytes = dense.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let value = String::from_utf8(bytes).unwrap().replace(";seal=", "; seal=");
            let found = sealed(&[b"key"], &with_field(HEAD, &value), &body);
            assert!(found.is_err() || found.unwrap().body == BODY, "{at}");
        }
    }

    /// The message of [`filtered`] after a second run of our filter. The first run stored its recipe in a file if
    /// `cap` demands it; `between` is appended to the body between the runs.
    fn filtered_twice(cap: Option<usize>, between: &[u8]) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let (head, mut body, _) = filtered(Some(b"key"), cap);
        body.extend_from_slice(between);
        let again = [edit(&body, "bye", "see you")];
        let recipe = super::super::recipe(&head, &body, &again, &[]);
        let (field, _) = fields::undo(&recipe, None, Some(b"key"));
        let head = with_field(&head, &field.value.replace('\n', "\r\n"));
        let edited = apply(&body, &again).to_vec();
        (head, edited, body)
    }

    #[test]
    fn half_an_undo_is_none() {
        let (head, body, _) = filtered_twice(Some(100), b"");
        let refused = sealed(&[b"key"], &head, &body).unwrap_err();
        assert!(matches!(refused, RestoreError::NotHere(_)), "{refused}");
        let stored = filtered(None, None).2;
        let found = restore_as(&head, &body, &[b"key"], Believe::Sealed, |_| Some(stored.clone()));
        assert_eq!(found.unwrap().body, BODY);
        let newer = packing::deflate(&[99; 40]);
        let (newer, _) = fields::undo(&newer, None, Some(b"key"));
        let (head, body, _) = filtered_twice(None, b"");
        let head = with_field(&head, &newer.value.replace('\n', "\r\n"));
        let refused = sealed(&[b"key"], &head, &body).unwrap_err();
        assert!(matches!(refused, RestoreError::Malformed(_)), "{refused}");
    }

    /// A list added its footer between two runs: the signature that counts is that of the list.
    #[test]
    fn what_came_in_last_is_the_original_when_it_was_changed_before() {
        let (head, body, before) = filtered_twice(None, b"-- \r\nlist\r\n");
        assert_eq!(sealed(&[b"key"], &head, &body).unwrap().body, before);
    }

    #[test]
    fn a_recipe_that_is_missing_says_more_than_one_that_does_not_fit() {
        let (missing, ..) = filtered(Some(b"key"), Some(100));
        let (fits_not, _) = fields::undo(&filtered(None, None).2, None, Some(b"key"));
        for head in [
            with_field(&missing, &fits_not.value.replace('\n', "\r\n")),
            [&missing[..], &with_field(b"", &fits_not.value.replace('\n', "\r\n"))].concat(),
        ] {
            let refused = sealed(&[b"key"], &head, b"other\r\n").unwrap_err();
            assert!(matches!(refused, RestoreError::NotHere(_)), "{refused}");
        }
    }

    #[test]
    fn ten_nested_ones_are_left() {
        let nested = |count: usize| {
            let (mut head, mut body) = (HEAD.to_vec(), BODY.to_vec());
            for number in 0..count {
                let edits = [edit(&body, "bye", &format!("bye {number}"))];
                let (field, _) = fields::undo(
                    &super::super::recipe(&head, &body, &edits, &[]),
                    None,
                    Some(b"key"),
                );
                head = with_field(&head, &field.value.replace('\n', "\r\n"));
                body = apply(&body, &edits).to_vec();
            }
            sealed(&[b"key"], &head, &body)
        };
        assert_eq!(nested(RECIPES).unwrap().body, BODY);
        assert_eq!(nested(10), Err(RestoreError::TooMany(10)));
    }
}
