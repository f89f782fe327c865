//! Judging hosts, uncached: plain ASCII ones, internationalised ones, all with the built-in
//! protected names. Hosts a second on one core. `cargo bench --bench host`.
//!
//! On a busy machine time says little: `--once plain` (or `international`, `url`) judges them a
//! thousand times over and measures nothing, for `valgrind --tool=callgrind`.
//!
//! Aims: a million plain hosts and 50,000 international ones a second and core; at most 2,500 instructions a
//! plain host, 40,000 an international one. Counted so, without link-time optimization: 2,300 a plain host,
//! 27,200 an international one, 37,900 the worst of these (`аррӏе`). Each letter beyond ASCII takes 1,500 to
//! 2,500: a label of 16 letters is within the aim in all but a few scripts, one of 30 takes 60,000.
//! Of 6,295 fair hosts of the data, each judged once, the mean is 25,300, and 3.4 % take more than 40,000: names
//! of 25 letters and more. The 600 hosts of all data that take most are mimics for the better part: 49,600.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[allow(dead_code)] // the tests use all of it
#[path = "../tests/common/world.rs"]
mod world;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group};
use linkmilter::engine::host::{CacheKey, Context, Memo, Names, judge, judge_link};
use linkmilter::engine::link::{Target, reference};
use world::World;

/// What mail holds most: services, shops, news, trackers; some protected, some with hyphens.
const PLAIN: &[&str] = &[
    "www.example.com",
    "mail.example.org",
    "click.news.example.net",
    "list-manage.example.com",
    "www.google.com",
    "lists.debian.org",
    "u12345678.ct.sendgrid.net",
    "static.cdn-assets.example.co.uk",
    "images.amazon.com",
    "en.wikipedia.org",
    "my_bucket.s3.amazonaws.com",
    "WWW.Example.DE",
    "tracking.customer-service.example.io",
    "a.b.c.d.example.info",
    "status.github.com",
    "example.com.br",
];

/// Names of many scripts, good and bad, as people and as the DNS spell them.
const INTERNATIONAL: &[&str] = &[
    "münchen.example.de",
    "пример.рф",
    "xn--e1afmkfd.xn--p1ai",
    "例え.jp",
    "www.例子.中国",
    "한국어.kr",
    "ตัวอย่าง.ไทย",
    "παράδειγμα.gr",
    "مثال.com",
    "דוגמה.co.il",
    "उदाहरण.भारत",
    "раypal.com",
    "аррӏе.com",
    "xn--80ak6aa92e.com",
    "gooɡle.com",
    "éxample.com",
];

/// Times that each host is judged by `--once`.
const ROUNDS: usize = 1_000;

fn urls() -> Vec<String> {
    PLAIN.iter().map(|host| format!("https://{host}/path?utm_source=mail&id=1")).collect()
}

fn benchmark(criterion: &mut Criterion) {
    let world = World::builtin();
    let context = world.context();
    let mut group = criterion.benchmark_group("host");
    for (name, hosts) in [("plain", PLAIN), ("international", INTERNATIONAL)] {
        group.throughput(Throughput::Elements(hosts.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for host in hosts {
                    black_box(judge(black_box(host), &context));
                }
            });
        });
        let (mut memo, under) = (Memo::default(), CacheKey::of(&context));
        for host in hosts {
            memo.keep(host, under, &Arc::new(judge(host, &context)));
        }
        group.bench_function(format!("{name}, remembered"), |bencher| {
            bencher.iter(|| {
                for host in hosts {
                    black_box(memo.recall(black_box(host), under));
                }
            });
        });
    }
    let urls = urls();
    group.throughput(Throughput::Elements(urls.len() as u64));
    group.bench_function("url", |bencher| {
        bencher.iter(|| {
            for url in &urls {
                read_and_judge(black_box(url), &context);
            }
        });
    });
    group.finish();
    criterion.bench_function("protected names built in", |bencher| {
        bencher.iter(|| black_box(Names::builtin()));
    });
}

/// As a URL of an attribute is.
fn read_and_judge(url: &str, context: &Context<'_>) {
    for target in reference::parse(url, 0..url.len()) {
        if let Target::Link(link) = target {
            black_box(judge_link(url, &link, context));
        }
    }
}

criterion_group!(benches, benchmark);

fn once(what: &str) {
    let world = World::builtin();
    let context = world.context();
    let urls = urls();
    let count = match what {
        "plain" => PLAIN.len(),
        "international" => INTERNATIONAL.len(),
        "url" => urls.len(),
        "none" => 0,
        other => panic!("expected plain, international, url or none, found {other}"),
    };
    for _ in 0..ROUNDS {
        match what {
            "plain" => PLAIN.iter().for_each(|host| drop(black_box(judge(host, &context)))),
            "international" => {
                INTERNATIONAL.iter().for_each(|host| drop(black_box(judge(host, &context))));
            }
            "url" => urls.iter().for_each(|url| {
                read_and_judge(url, &context);
            }),
            _ => {}
        }
    }
    println!("{what}: {} judgements", count * ROUNDS);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "--once") {
        Some(at) => once(arguments.get(at + 1).map_or("none", String::as_str)),
        None => {
            benches();
            Criterion::default().configure_from_args().final_summary();
        }
    }
}
