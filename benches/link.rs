//! Finding links, against the `linkify` crate and memchr, in one run: `cargo bench --bench link`.
//!
//! Three texts: English prose without links; a link every hundred bytes; Chinese, Japanese, Hindi and
//! Arabic prose with an internationalized link every two kilobytes. Figures are the best of many
//! rounds in MB/s, and as ratios to `linkify` with bare hosts switched on, since that is what is found
//! here as well; how many of the links put in each one finds stands beside.
//!
//! On a busy machine time says little: with `--once TEXT FINDER` (`prose|dense|idn`, and
//! `letter|linkifier|linkify`) one text is read once, for `valgrind --tool=callgrind
//! --toggle-collect='*::counted'`, whose count of instructions does not depend on the day.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::HashSet;
use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use linkmilter::engine::link::{Linkifier, detect};
use linkmilter::tld;

/// Bytes of each text: larger than the second-level cache.
const SIZE: usize = 4 << 20;
/// Rounds a figure; the best counts.
const ROUNDS: usize = 15;

const ENGLISH: &str = "The committee met on Tuesday to discuss the plan for the old harbour. Most \
    members agreed that something had to be done, but nobody wanted to pay for it; the treasurer \
    (who had prepared a table of costs) said little. \"We have waited for ten years,\" said the \
    chair, \"and we can wait for another.\" After lunch they walked along the quay, looked at the \
    boats, and went home. The minutes were sent out on Friday, with two corrections by hand.\n";

const OTHERS: [&str; 4] = [
    "委员会于星期二开会，讨论旧港口的计划。大多数成员同意必须做点什么，但没有人愿意付钱；准备了费用表的\
     司库说得很少。午饭后，他们沿着码头散步，看了看船，然后回家了。会议记录于星期五发出。\n",
    "委員会は火曜日に開かれ、古い港の計画について話し合った。ほとんどの委員は何かをしなければならないと\
     考えたが、誰も費用を払いたがらなかった。昼食のあと、岸壁を歩き、船を眺めて、家に帰った。\n",
    "समिति की बैठक मंगलवार को हुई और पुराने बंदरगाह की योजना पर चर्चा की गई। अधिकांश सदस्य सहमत थे कि कुछ करना \
     होगा, लेकिन कोई भी इसके लिए भुगतान नहीं करना चाहता था। दोपहर के भोजन के बाद वे घाट पर टहले और घर चले गए।\n",
    "اجتمعت اللجنة يوم الثلاثاء لمناقشة خطة الميناء القديم. اتفق معظم الأعضاء على أنه يجب القيام بشيء ما، لكن \
     أحدا لم يرغب في الدفع؛ وبعد الغداء ساروا على طول الرصيف ونظروا إلى القوارب ثم عادوا إلى بيوتهم.\n",
];

const LINKS: [&str; 8] = [
    "https://www.example.com/path/page.html?id=1234",
    "example.org",
    "www.example.net/a/b/c",
    "someone@example.com",
    "http://example.com",
    "https://en.example.org/wiki/Harbour_(old)",
    "info@mail.example.co.uk",
    "https://example.com:8080/index#top",
];

const IDN_LINKS: [&str; 8] = [
    "https://例子.中国/路径/页面",
    "例子.中国",
    "http://उदाहरण.भारत/पृष्ठ",
    "مثال.السعودية",
    "https://ja.example.org/wiki/港",
    "用户@例子.中国",
    "http://例え.みんな/",
    "https://пример.рф/путь",
];

/// A text, and the links that were put in: where they begin and end.
struct Sample {
    key: &'static str,
    name: &'static str,
    text: String,
    links: HashSet<Range<usize>>,
}

fn main() {
    let samples = [
        Sample {
            key: "prose",
            name: "English prose, no links",
            text: prose(&[ENGLISH]),
            links: HashSet::new(),
        },
        with_links("dense", "a link every 100 bytes", &[ENGLISH], &LINKS, 100),
        with_links("idn", "CJK, Hindi, Arabic with IDN links", &OTHERS, &IDN_LINKS, 2_000),
    ];
    let arguments: Vec<String> = std::env::args().collect();
    let Some(once) = arguments.iter().position(|argument| argument == "--once") else {
        return samples.iter().for_each(measure);
    };
    let [_, text, finder] = &arguments[once..] else { panic!("--once TEXT FINDER") };
    let sample = samples.iter().find(|sample| sample.key == text).unwrap();
    println!("{} bytes, {} links", sample.text.len(), counted(&sample.text, finder));
}

/// One reading of the text.
#[inline(never)]
fn counted(text: &str, finder: &str) -> usize {
    match finder {
        "letter" => detect(text).count(),
        "linkifier" => Linkifier::new(&tld::builtin()).links(text).count(),
        "linkify" => bare_hosts().links(text).count(),
        _ => panic!("no finder of this name: {finder}"),
    }
}

/// The other crate, as it finds what is found here as well.
fn bare_hosts() -> linkify::LinkFinder {
    let mut finder = linkify::LinkFinder::new();
    finder.url_must_have_scheme(false);
    finder
}

fn prose(paragraphs: &[&str]) -> String {
    paragraphs
        .iter()
        .copied()
        .cycle()
        .scan(0, |size, paragraph| {
            *size += paragraph.len();
            (*size < SIZE).then_some(paragraph)
        })
        .collect()
}

/// Prose with a link between two spaces at the first space or end of a sentence after every `gap`.
fn with_links(
    key: &'static str,
    name: &'static str,
    paragraphs: &[&str],
    choice: &[&'static str],
    gap: usize,
) -> Sample {
    let mut sample = Sample { key, name, text: String::new(), links: HashSet::new() };
    let mut choice = choice.iter().cycle();
    let mut since = 0;
    for c in prose(paragraphs).chars() {
        sample.text.push(c);
        since += c.len_utf8();
        if since >= gap && matches!(c, ' ' | '，' | '、' | '\n') {
            let link = choice.next().unwrap();
            let start = sample.text.len() + 1;
            sample.text += &format!(" {link} ");
            sample.links.insert(start..start + link.len());
            since = 0;
        }
    }
    sample
}

fn measure(sample: &Sample) {
    let text = sample.text.as_str();
    let tlds = tld::builtin();
    let ours = Linkifier::new(&tlds);
    let schemes = linkify::LinkFinder::new();
    let hosts = bare_hosts();

    println!("{} ({} bytes, {} links)", sample.name, text.len(), sample.links.len());
    let reference = speed(text, || hosts.links(text).count());
    let row = |name: &str, speed: f64, found: Option<usize>| {
        let found = found.map_or(String::new(), |found| format!("  found {found}"));
        println!("  {name:<28} {speed:>7.0} MB/s  {:>6.2} x linkify{found}", speed / reference);
    };
    let count = |spans: Vec<Range<usize>>| {
        spans.into_iter().filter(|span| sample.links.contains(span)).count()
    };
    let letter = speed(text, || detect(text).count());
    row("detect (by the letter)", letter, Some(count(detect(text).map(|l| l.span).collect())));
    let prose = speed(text, || ours.links(text).count());
    row("Linkifier", prose, Some(count(ours.links(text).map(|l| l.inner..l.span.end).collect())));
    row(
        "linkify, bare hosts",
        reference,
        Some(count(hosts.links(text).map(|l| l.start()..l.end()).collect())),
    );
    let with_scheme = speed(text, || schemes.links(text).count());
    row(
        "linkify, schemes only",
        with_scheme,
        Some(count(schemes.links(text).map(|l| l.start()..l.end()).collect())),
    );
    let bytes = text.as_bytes();
    row(
        "memchr3 of . : @",
        speed(text, || memchr::memchr3_iter(b'.', b':', b'@', bytes).count()),
        None,
    );
}

/// MB/s of the best round.
fn speed(text: &str, mut work: impl FnMut() -> usize) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed());
    }
    text.len() as f64 / best.as_secs_f64() / 1e6
}
