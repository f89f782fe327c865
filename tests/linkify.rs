//! What `linkify` writes, read by a parser that is not ours: for whatever text, nothing but anchors,
//! safe ones, and the words of the text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::cell::RefCell;
use std::sync::LazyLock;

use common::world::World;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use linkmilter::engine::host::linkify::{Options, Switch};
use linkmilter::engine::link::{Linkifier, Url, mailto_addresses};
use linkmilter::engine::linkify::linkify;
use linkmilter::engine::policy::Linkify;
use linkmilter::engine::{Answers, Facts, Message, Policy, inspect, splice};
use proptest::prelude::*;

static WORLD: LazyLock<World> = LazyLock::new(World::builtin);
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);

fn html(text: &str, options: &Options<'_>) -> String {
    linkify(text, options, &POLICY, WORLD.context().tlds)
}

/// What a browser makes of the HTML.
#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    /// Target and visible text.
    Anchor(String, String),
}

/// The tokens of a browser's tokenizer, in order.
#[derive(Default)]
struct Tokens(RefCell<Vec<Token>>);

impl TokenSink for Tokens {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        self.0.borrow_mut().push(token);
        TokenSinkResult::Continue
    }
}

fn tokens(html: &str) -> Vec<Token> {
    let opts = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Tokens::default(), opts);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Fails on whatever is not text or an anchor with an `href` alone.
fn pieces(html: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: Option<(String, String)> = None;
    for token in tokens(html) {
        let text = match token {
            Token::CharacterTokens(text) => text.to_string(),
            Token::NullCharacterToken => "\0".to_owned(),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                assert_eq!((&*tag.name, tag.self_closing), ("a", false), "{html}");
                let [href] = &tag.attrs[..] else { panic!("{:?} in {html}", tag.attrs) };
                assert_eq!(&*href.name.local, "href", "{html}");
                let opened = open.replace((href.value.to_string(), String::new()));
                assert_eq!(opened, None, "an anchor in an anchor: {html}");
                continue;
            }
            Token::TagToken(tag) => {
                assert_eq!((&*tag.name, tag.attrs.len()), ("a", 0), "{html}");
                let (href, visible) = open.take().expect(html);
                pieces.push(Piece::Anchor(href, visible));
                continue;
            }
            // In the text itself it is nothing to a tokenizer.
            Token::ParseError(error) if error == "Saw \0 in state Data" => continue,
            Token::EOFToken => continue,
            other => panic!("{other:?} in {html}"),
        };
        match (&mut open, pieces.last_mut()) {
            (Some((_, visible)), _) => visible.push_str(&text),
            (None, Some(Piece::Text(before))) => before.push_str(&text),
            (None, _) => pieces.push(Piece::Text(text)),
        }
    }
    assert_eq!(open, None, "{html}");
    pieces
}

/// As a browser's input stream has it.
fn normalized(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn text_of(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) | Piece::Anchor(_, text) => text.as_str(),
        })
        .collect()
}

/// What a browser may be sent to without harm.
fn is_safe(href: &str) -> bool {
    ["http://", "https://", "ftp://", "mailto:"].iter().any(|scheme| href.starts_with(scheme))
        && href.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte))
}

/// Texts near links and markup.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => proptest::sample::select(vec![
            "example.com", "http://", "https://", "mailto:", "javascript:", "data:text/html,", "www.", "a@",
            "/", "?", "#", "&", "&amp;", "&#x3c;", "&lt", "<", ">", "\"", "'", "`", "=", "<a href=", "</a>",
            "<script>", "<!--", "-->", "<![CDATA[", "<?", "</", "onmouseover=", "\\", "//", " ", "\n", "\r",
            "\t", "\0", "%22", "%3C", "%", "%0D%0A", ".com", ".", "。", "例子.中国", "пример.рф", "раypal.com",
            "xn--fsqu00a.xn--fiqs8s", "xn--ypal-43d9g.com", "[::1]", "]", ":80", ":", "@", "()", "(", ")",
            "👉", "です", "\u{202E}", "\u{200B}", "\u{2028}", "é", "\u{85}", "\u{FFFE}", "hxxp://", "[.]",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn an_attack_stays_text() {
    for text in [
        "http://example.com/\"onmouseover=\"alert(1)",
        "http://example.com/'onmouseover='alert(1)",
        "<script>alert(1)</script> javascript:alert(1)//http://example.com",
        "&lt;script&gt; &#60;img src=x&#62;",
        "http://example.com/?a=1&lt=2&copy=3",
        "\"><a href=\"javascript:alert(1)\">example.com</a>",
        "https://раypal.com/\"><script>",
        "a@example.com?body=<script>",
        "mailto:a@example.com?body=\"><script>",
        "data:text/html,<script>//example.com",
    ] {
        for piece in pieces(&html(text, &Options::default())) {
            if let Piece::Anchor(href, visible) = piece {
                assert!(is_safe(&href) && href.contains("example.com"), "{href} {visible}");
            }
        }
    }
}

/// What the filter makes of a text node, with `linkify = "html"`.
fn filtered(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let head = b"Content-Type: text/html; charset=utf-8\r\n";
    let policy = Policy { linkify: Linkify::Html, ..Policy::default() };
    let message = Message { head, body: escaped.as_bytes() };
    let facts = Facts::default();
    let outcome = inspect(message, &facts, &policy, &WORLD.tlds).resolve(&Answers::new());
    let body = splice::apply(escaped.as_bytes(), &outcome.edits).to_vec();
    String::from_utf8(body).unwrap()
}

/// UASG 000 2.3; stdin and files: tests/links.rs.
#[test]
fn a_text_node_gets_the_anchors_of_the_command() {
    let anchors = |html: &str| -> Vec<String> {
        let href = |piece| match piece {
            Piece::Anchor(href, _) => Some(href),
            Piece::Text(_) => None,
        };
        pieces(html).into_iter().filter_map(href).collect()
    };
    for (text, links) in [
        ("see example.com, www.example.org/a?b=1&c=2#d and http://example.net:80/(x).", 3),
        ("👉example.com →example.org サーバーexample.comです раypal.comです", 3),
        ("例子.中国 http://пример.рф/путь?к=ключ xn--fsqu00a.xn--fiqs8s", 3),
        ("a@example.com 用户@例子.中国, mailto:b@example.com?subject=x", 3),
        ("'bob@example.com' (example.com/page?) \"http://example.org/\"", 3),
        ("http://[2001:db8::1]/ http://192.0.2.1/x 192.0.2.1", 2),
        ("helpers.py end.In hxxp://example.com example[.]com www.example[.]com", 0),
        ("https://user@example.com/ https://www.paypal.com@example.com/", 0),
        ("https://раypal.com/ a.раypal.com/x http://example.nosuch end.However", 0),
        ("http://example.com/iPhone_ราคา http://example.com/<b>\"x\"", 2),
    ] {
        let command = anchors(&html(text, &Options::default()));
        assert_eq!(command, anchors(&filtered(text)), "{text}");
        assert_eq!(command.len(), links, "{text}: {command:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 8192, ..ProptestConfig::default() })]

    #[test]
    fn only_safe_anchors_and_the_words_of_the_text(text in text()) {
        let pieces = pieces(&html(&text, &Options::default()));
        // What stands between the links comes out as it is, in order.
        let mut rest = text_of(&pieces);
        let mut at = 0;
        for link in Linkifier::new(&WORLD.tlds).links(&text) {
            let between = normalized(&text[at..link.span.start]);
            let found = rest.find(&between);
            prop_assert!(found.is_some() && (at > 0 || found == Some(0)), "{:?} in {:?}", between, rest);
            rest.drain(..found.unwrap() + between.len());
            at = link.span.end;
        }
        prop_assert!(rest.ends_with(&normalized(&text[at..])), "{:?}", rest);
        for piece in &pieces {
            if let Piece::Anchor(href, visible) = piece {
                prop_assert!(is_safe(href), "{}", href);
                // What is seen is what is followed.
                let again = Linkifier::new(&WORLD.tlds).links(visible).next().unwrap();
                prop_assert_eq!(&visible[again.inner..again.span.end], visible.as_str());
                let seen = again.href(visible).unwrap();
                if href.starts_with("mailto:") {
                    prop_assert_eq!(mailto_addresses(&seen), mailto_addresses(href));
                } else {
                    prop_assert_eq!(Url::parse(&seen), Url::parse(href));
                }
            }
        }
    }

    #[test]
    fn a_text_without_links_is_escaped_and_no_more(text in text()) {
        let off = Options { switch: Switch::Off, ..Options::default() };
        prop_assert_eq!(text_of(&pieces(&html(&text, &off))), normalized(&text));
        if Linkifier::new(&WORLD.tlds).links(&text).next().is_none() {
            prop_assert_eq!(text_of(&pieces(&html(&text, &Options::default()))), normalized(&text));
        }
    }
}
