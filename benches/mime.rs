//! Split, decode, lower: bytes a second on one core, for parts of each kind.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use linkmilter::engine::Message;
use linkmilter::engine::limits::Limits;
use linkmilter::engine::mime::{self, Lowering, TextEdit};
use linkmilter::engine::splice::apply;

/// Name, header and body.
fn parts() -> Vec<(&'static str, String, Vec<u8>)> {
    let prose =
        "It was late. The train had left, and the clocks were slow; nobody minded at all.\r\n";
    let page = "<p>See <a href=3D\"http://www.example.com/a/b\">the page</a> of the day, a=\r\nnd more</p>\r\n";
    let base64 =
        "PGEgaHJlZj0iaHR0cDovL3d3dy5leGFtcGxlLmNvbS9hL2IvYy9kL2UvZi9nL2hpamtsbW5vcHFyc3R1\r\n";
    let cyrillic = "Привет, мир: http://www.example.com/ и ещё немного слов. ";
    let head = |kind: &str, encoding: &str| {
        format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n")
    };
    let windows = encoding_rs::WINDOWS_1251.encode(cyrillic).0.repeat(10_000);
    vec![
        ("clean text", head("text/plain", "7bit"), prose.repeat(10_000).into_bytes()),
        (
            "clean quoted-printable",
            head("text/plain", "quoted-printable"),
            prose.repeat(10_000).into_bytes(),
        ),
        (
            "quoted-printable page",
            head("text/html", "quoted-printable"),
            page.repeat(10_000).into_bytes(),
        ),
        ("base64 page", head("text/html", "base64"), base64.repeat(10_000).into_bytes()),
        (
            "utf-8 page",
            head("text/html; charset=utf-8", "8bit"),
            cyrillic.repeat(10_000).into_bytes(),
        ),
        ("windows-1251 page", head("text/html; charset=windows-1251", "8bit"), windows),
    ]
}

fn read(message: Message<'_>) -> usize {
    let tree = mime::parse(message, &Limits::default().structure());
    (0..tree.parts.len())
        .flat_map(|part| mime::readings(message, &tree, part))
        .map(|reading| reading.text.as_str().len())
        .sum()
}

/// Every `http` becomes `hxxp[.]`: as many edits as a message can have.
fn edit(message: Message<'_>) -> usize {
    let tree = mime::parse(message, &Limits::default().structure());
    let mut lowering = Lowering::new(message, &tree);
    for part in 0..tree.parts.len() {
        for reading in mime::readings(message, &tree, part) {
            let edits: Vec<TextEdit> =
                memchr::memmem::find_iter(reading.text.as_str().as_bytes(), "http")
                    .map(|at| TextEdit {
                        range: at..at + 4,
                        replacement: "hxxp[.]".to_owned().into(),
                    })
                    .collect();
            lowering.add(part, &reading, edits);
        }
    }
    let lowered = lowering.finish();
    apply(message.body, &lowered.edits).map(<[u8]>::len).sum()
}

fn mime(criterion: &mut Criterion) {
    for (name, head, body) in parts() {
        let message = Message { head: head.as_bytes(), body: &body };
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function("read", |bencher| bencher.iter(|| read(black_box(message))));
        group.bench_function("read and edit", |bencher| bencher.iter(|| edit(black_box(message))));
        group.finish();
    }
}

criterion_group!(benches, mime);
criterion_main!(benches);
