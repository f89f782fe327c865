//! `linkmilter scan` against sources that were made to break it: pipes, loops, decompression bombs,
//! misleading headers, names with control characters, closed pipes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const FROM: &str = "From bob@example.org Thu Aug 22 12:36:23 2024\n";

/// A message with one finding: the first letters of the host are Cyrillic.
fn phish(number: usize) -> String {
    format!(
        "From: Bank <service@mail.example>\nDate: Thu, 22 Aug 2024 12:36:23 +0200\n\
         Message-ID: <{number}@mail.example>\nContent-Type: text/plain; charset=utf-8\n\n\
         Please sign in at http://раypal.com/login/{number} today.\n"
    )
}

fn mbox(count: usize) -> String {
    (0..count).map(|number| format!("{FROM}{}\n", phish(number))).collect()
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("scan").current_dir(folder);
    command
}

fn scan(folder: &Path, args: &[&str]) -> Output {
    command(folder).args(args).output().unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn records(output: &Output) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        // Written directly, because `append_data` refuses a hostile name.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// An xz stream whose decoder needs this many bytes for its dictionary.
fn xz(bytes: &[u8], dictionary: u32) -> Vec<u8> {
    let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
    options.dict_size(dictionary);
    let mut filters = liblzma::stream::Filters::new();
    filters.lzma2(&options);
    let check = liblzma::stream::Check::Crc32;
    let stream = liblzma::stream::Stream::new_stream_encoder(&filters, check).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_closed_pipe_ends_quietly_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(400)).unwrap();
    for form in ["jsonl", "csv", "summary", "html", "stix"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command(folder.path());
        child.args(["--format", form, "all.mbox"]).stdout(writer);
        let output = child.output().unwrap();
        assert_eq!(stderr_text(&output), "", "{form}");
        assert_eq!(output.status.code(), Some(1), "{form}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(folder.path()).args(["--ranges", "1", "."]).stdout(writer).output();
    assert_eq!(stderr_text(&output.unwrap()), "");
}

#[test]
fn the_output_of_the_scan_is_not_scanned() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(40)).unwrap();
    fs::write(folder.path().join("journal.txt"), phish(1)).unwrap();
    fs::write(folder.path().join("found.jsonl"), "left over\n").unwrap();
    let args = ["--out", "found.jsonl", "--resume", "journal", "--account", "."];
    let output = scan(folder.path(), &args);
    assert_eq!((stderr_text(&output).as_str(), output.status.code()), ("", Some(1)));
    let found = fs::read_to_string(folder.path().join("found.jsonl")).unwrap();
    assert_eq!(found.lines().count(), 41, "only a file of the same path is left out");
    // Standard output into the same folder.
    let out = File::create(folder.path().join("stdout.jsonl")).unwrap();
    let status = command(folder.path()).args(["all.mbox", "stdout.jsonl"]).stdout(out).status();
    assert_eq!(status.unwrap().code(), Some(1));
    let text = fs::read_to_string(folder.path().join("stdout.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 40);
}

#[test]
fn output_to_a_device_works() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.eml"), phish(1)).unwrap();
    let output = scan(folder.path(), &["--out", "/dev/null", "a.eml"]);
    assert_eq!((stderr_text(&output).as_str(), output.status.code()), ("", Some(1)));
}

#[test]
fn pipes_loops_and_hidden_files_of_a_folder_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/b/1.eml"), phish(1)).unwrap();
    fs::write(root.join("a/.hidden"), phish(2)).unwrap();
    symlink("..", root.join("a/b/up")).unwrap();
    symlink("loop", root.join("a/loop")).unwrap();
    let made = Command::new("mkfifo").arg(root.join("a/pipe")).status().unwrap();
    assert!(made.success());
    let output = scan(root, &["a"]);
    // A symbolic link to itself is an error, and is reported.
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_text(&output).contains("a/loop: "), "{}", stderr_text(&output));
    assert_eq!(records(&output).len(), 1);
}

#[test]
fn a_pipe_that_is_named_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = command(folder.path()).arg("pipe").stdout(Stdio::piped()).spawn().unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    writer.write_all(&gzip(mbox(50).as_bytes())).unwrap();
    drop(writer);
    let output = child.wait_with_output().unwrap();
    assert_eq!(records(&output).len(), 50);
}

#[test]
fn every_missing_file_of_a_list_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a b\n.eml"), phish(1)).unwrap();
    fs::write(
        folder.path().join("list"),
        "none.eml\0\0a b\n.eml\0mbox:0-99:none.mbox\0mbox:9-1:x\0",
    )
    .unwrap();
    let output = scan(folder.path(), &["--files0-from", "list", "--account"]);
    assert_eq!(output.status.code(), Some(2));
    let found = records(&output);
    let sources: Vec<&str> = found.iter().map(|line| line["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["none.eml", "list:2", "a b\n.eml", "none.mbox", "mbox:9-1:x"]);
    let said = stderr_text(&output);
    assert!(said.contains("linkmilter: list:2: invalid zero-length file name\n"), "{said}");
    assert_eq!(scan(folder.path(), &["--files0-from", "absent"]).status.code(), Some(2));
}

#[test]
fn an_invalid_range_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.mbox"), mbox(3)).unwrap();
    fs::write(folder.path().join("a.gz"), gzip(mbox(3).as_bytes())).unwrap();
    fs::write(folder.path().join("list"), "mbox:0-99999:a.mbox\0mbox:5-9:a.gz\0").unwrap();
    let output = scan(folder.path(), &["--files0-from", "list"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr_text = stderr_text(&output);
    assert!(stderr_text.contains("a.mbox: expected a range up to byte "), "{stderr_text}");
    assert!(stderr_text.contains("a.gz at byte 5: expected an uncompressed mbox"), "{stderr_text}");
}

#[test]
fn any_cut_of_an_mbox_gives_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let mail = mbox(12);
    fs::write(folder.path().join("all.mbox"), &mail).unwrap();
    let whole = scan(folder.path(), &["all.mbox"]).stdout;
    let end = mail.len();
    for cut in [1, 44, 45, 46, end / 3, end / 2, end - 1] {
        let list = format!("mbox:0-{cut}:all.mbox\0mbox:{cut}-{end}:all.mbox\0");
        fs::write(folder.path().join("list"), list).unwrap();
        assert!(scan(folder.path(), &["--files0-from", "list"]).stdout == whole, "cut at {cut}");
    }
}

#[test]
fn streams_cut_short_give_what_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let mail = mbox(4_000);
    for (name, whole) in [
        ("a.gz", gzip(mail.as_bytes())),
        ("a.zst", zstd::encode_all(mail.as_bytes(), 1).unwrap()),
        ("a.xz", xz(mail.as_bytes(), 1 << 20)),
        ("a.tar", tar(&[("all.mbox", mail.as_bytes())])),
    ] {
        fs::write(folder.path().join(name), &whole[..whole.len() * 9 / 10]).unwrap();
        let output = scan(folder.path(), &[name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let found = records(&output).len();
        assert!((1_000..4_000).contains(&found), "{name}: {found}");
        assert!(stderr_text(&output).contains(name), "{}", stderr_text(&output));
    }
}

#[test]
fn windows_over_the_limit_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut long = zstd::Encoder::new(Vec::new(), 1).unwrap();
    long.window_log(27).unwrap();
    long.write_all(mbox(10).as_bytes()).unwrap();
    fs::write(folder.path().join("long.zst"), long.finish().unwrap()).unwrap();
    fs::write(folder.path().join("huge.xz"), xz(mbox(10).as_bytes(), 128 << 20)).unwrap();
    fs::write(folder.path().join("good.xz"), xz(mbox(10).as_bytes(), 64 << 20)).unwrap();
    let inner = gzip(&xz(&xz(mbox(10).as_bytes(), 64 << 20), 1 << 20));
    fs::write(folder.path().join("inner.xz.xz.gz"), inner).unwrap();
    let output = scan(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(2));
    let stderr_text = stderr_text(&output);
    for name in ["long.zst", "huge.xz", "inner.xz.xz.gz"] {
        assert!(stderr_text.contains(&format!("./{name}: ")), "{name}: {stderr_text}");
    }
    assert_eq!(records(&output).len(), 10, "what is within the bound is read");
}

#[test]
fn archives_in_archives_and_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let one = phish(1);
    let inner = tar(&[("deep.eml", one.as_bytes()), ("../../etc/escape.eml", one.as_bytes())]);
    let outer = tar(&[
        ("inner.tar.gz", &gzip(&inner)),
        ("/abs.eml", one.as_bytes()),
        ("empty", b""),
        ("\u{1b}]0;title\u{7}.zip", b"PK\x03\x04"),
    ]);
    fs::write(folder.path().join("all.tar"), outer).unwrap();
    let output = scan(folder.path(), &["all.tar"]);
    let sources: Vec<String> =
        records(&output).iter().map(|line| line["source"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        sources,
        [
            "all.tar!inner.tar.gz!deep.eml",
            "all.tar!inner.tar.gz!../../etc/escape.eml",
            "all.tar!/abs.eml"
        ]
    );
    assert!(
        stderr_text(&output)
            .contains("all.tar!\\u{1b}]0;title\\u{7}.zip: expected mail, found a zip archive")
    );
}

/// What is no mailbox that is split is never one message.
#[test]
fn stores_that_are_not_split_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let one = phish(1);
    for (name, bytes, what) in [
        ("mmdf", format!("\u{1}\u{1}\u{1}\u{1}\n{one}\u{1}\u{1}\u{1}\u{1}\n"), "an MMDF mailbox"),
        (
            "m.1",
            format!("2 M1e C65a1b2c3\n\u{1}\u{2}N 0000\n{one}"),
            "mail stored by Dovecot as dbox",
        ),
        ("babyl", format!("BABYL OPTIONS:\n\u{1f}\n{one}"), "a Babyl mailbox (Rmail)"),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let output = scan(folder.path(), &[name]);
        assert_eq!((output.status.code(), records(&output).len()), (Some(2), 0), "{name}");
        let said = stderr_text(&output);
        assert!(said.contains(&format!("{name}: expected mail, found {what}")), "{said}");
    }
}

#[test]
fn misleading_mbox_files() {
    let folder = tempfile::tempdir().unwrap();
    let plain = phish(1);
    let cases: [(&str, String, usize); 7] = [
        ("bare", mbox(3).replace(FROM, "From \r\n"), 3),
        ("crlf", mbox(3).replace('\n', "\r\n"), 3),
        ("nul", mbox(3).replace("today", "to\0day"), 3),
        ("length", mbox(3).replace("Date:", "Content-Length: 18446744073709551615\nDate:"), 3),
        ("short", mbox(3).replace("Date:", "Content-Length: 1\nDate:"), 3),
        (
            "forwarded",
            format!("{FROM}A: b\n\n> quoted\nFrom bob Thu Aug 22 12:36:23 2024\n{plain}"),
            1,
        ),
        ("prose", format!("{FROM}A: b\n\nlast\n\nFrom here on, see {}", &plain), 1),
    ];
    for (name, text, messages) in cases {
        fs::write(folder.path().join(name), text).unwrap();
        let output = scan(folder.path(), &["--format", "summary", name]);
        let text = String::from_utf8(output.stdout).unwrap();
        let first = text.lines().next().unwrap();
        let noun = if messages == 1 { "message" } else { "messages" };
        assert_eq!(first.trim(), format!("{messages}  {noun}"), "{name}: {text}");
        assert!(text.contains("раypal[.]com"), "{name}: {text}");
    }
}

/// Whatever is in a message, a header or a file name: no output format sends control characters to
/// a terminal, makes a live link, or runs anything in a browser or a spreadsheet.
#[test]
fn hostile_text_stays_text_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "From: \"=cmd|'/c calc'!A1\" <a@\u{1b}[31mevil\u{9b}1m.example>\n\
         Message-ID: <=1+1\"><script>alert(1)</script>\u{1b}]8;;http://evil.example\u{7}x>\n\
         Content-Type: text/html; charset=utf-8\n\n\
         <a href=\"http://xn--ypal-43d9g.com/\">http://раypal.com</a>\n\
         <a href='http://\"><script>alert(2)</script>.раypal.com/'>x</a>\n\
         <a href=\"javascript:alert(3)\">http://www.paypal.com</a>\n\
         http://раypal.com/\u{202e}gpj.exe http://=1+1.раypal.com/ =HYPERLINK(\"http://раypal.com\")\n";
    let name = "=1+1\"><img src=x onerror=alert(4)>\u{1b}[2J\u{9b}1m\n.eml";
    let path = folder.path().join(std::ffi::OsStr::from_bytes(name.as_bytes()));
    fs::write(path, hostile).unwrap();
    fs::write(folder.path().join("\u{1b}[2J.zip"), b"PK\x03\x04").unwrap();
    for form in ["jsonl", "csv", "summary", "html", "stix"] {
        let output = scan(folder.path(), &["--format", form, "--account", "."]);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(!text.is_empty(), "{form}");
        let acts = |c: &char| c.is_control() && !matches!(c, '\n' | '\r');
        assert_eq!(text.chars().find(acts), None, "{form}");
        assert_eq!(stderr_text(&output).chars().find(acts), None, "{form}");
        assert!(!text.contains("http://"), "{form}: {text}");
        match form {
            "html" => {
                assert_eq!(text.matches("<script").count(), 1, "only ours");
                assert!(!text.contains("<img") && !text.contains("href="));
            }
            "csv" => assert_no_formula(&text),
            _ => {}
        }
    }
}

fn assert_no_formula(text: &str) {
    for line in text.split("\r\n").filter(|line| !line.is_empty()) {
        for cell in line.split(',') {
            let cell = cell.trim_start_matches('"').trim_start();
            assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
        }
    }
}

/// Each line contains a name that the sender chose: 3,756 bytes of an archive with a name of 3 MB
/// made 9 GB.
#[test]
fn names_that_findings_repeat_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(20_000);
    let lies: String = (0..100).map(|n| format!("http://раypal{n}.com/\n ")).collect();
    let letter = format!(
        "From: a@{long}.example\nMessage-ID: <{long}@mail.example>\nDate: Thu, 22 Aug 2024 12:36:23 +0200\n\
         X-{long}: {lies}\nContent-Type: text/plain; charset=utf-8\n\n{lies}\nhttp://раypal.{long}.com/\n"
    );
    let mut archive = tar::Builder::new(Vec::new());
    for end in ["one", "two"] {
        let mut header = tar::Header::new_ustar();
        header.set_size(letter.len() as u64);
        header.set_cksum();
        let path = format!("{}{end}{}", "a/".repeat(50_000), "/b".repeat(50_000));
        archive.append_pax_extensions([("path", path.as_bytes())]).unwrap();
        archive.append(&header, letter.as_bytes()).unwrap();
    }
    fs::write(folder.path().join("all.tar.gz"), gzip(&archive.into_inner().unwrap())).unwrap();
    let lines = records(&scan(folder.path(), &["all.tar.gz"]));
    assert!(lines.len() >= 400, "{}", lines.len());
    let mut sources: Vec<&str> = Vec::new();
    for line in &lines {
        for field in ["source", "message_id", "from_domain", "place"] {
            let text = line[field].as_str().unwrap();
            assert!(text.len() < 600, "{field}: {}", text.len());
        }
        sources.push(line["source"].as_str().unwrap());
    }
    sources.dedup();
    assert_eq!(sources.len(), 2, "{sources:?}");
    for format in ["csv", "html", "summary", "stix"] {
        let output = scan(folder.path(), &["--format", format, "all.tar.gz"]);
        assert!(!output.stdout.is_empty(), "{format}: {}", stderr_text(&output));
        assert!(output.stdout.len() < 2_000_000, "{format}: {}", output.stdout.len());
    }
}

/// The limit in docs/scan.md: cores × 2 × the largest message + 128 MiB.
#[test]
fn memory_stays_within_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Many small messages; a few large ones; windows that would fill on every core.
    let mut many = File::create(root.join("many.mbox")).unwrap();
    let block = mbox(10_000);
    for _ in 0..20 {
        many.write_all(block.as_bytes()).unwrap();
    }
    const LARGE: usize = 12 << 20;
    let text =
        "Nothing to see at all in this line of prose, and so on and on.\n".repeat(LARGE / 63);
    let large = format!("{}\n{text}", phish(1));
    fs::create_dir(root.join("large")).unwrap();
    for number in 0..6 {
        fs::write(root.join(format!("large/{number}.eml")), &large).unwrap();
    }
    fs::create_dir(root.join("windows")).unwrap();
    let prose = format!("{FROM}A: b\n\n{}\n", "Nothing to see in this line of prose.\n".repeat(20));
    let archive = xz(prose.repeat((48 << 20) / prose.len()).as_bytes(), 64 << 20);
    assert!(archive.len() < 1 << 20, "small on the disk: read on the cores");
    for number in 0..6 {
        fs::write(root.join(format!("windows/{number}.xz")), &archive).unwrap();
    }
    for (source, largest) in [("many.mbox", 1 << 10), ("large", LARGE), ("windows", 1 << 10)] {
        let jobs = 4;
        let peak = peak_memory(root, &["--jobs", "4", "--format", "summary", source]);
        let bound = jobs * 2 * largest + (128 << 20);
        println!("{source}: {} MiB of {}", peak >> 20, bound >> 20);
        assert!(peak < bound, "{source}: {} MiB, allowed {}", peak >> 20, bound >> 20);
    }
}

/// A file of some kilobytes that unpacks to hundreds of thousands of findings is judged by one
/// core. Its lines are written as they are made, and a limited number of those of other files wait
/// for their turn.
#[test]
fn lines_of_one_small_file_are_not_held_together() {
    let folder = tempfile::tempdir().unwrap();
    let lies: String = "http://раypal.com/\n".repeat(1_000);
    let archive = gzip(format!("{FROM}A: b\n\n{lies}\n").repeat(250).as_bytes());
    assert!(archive.len() < 1 << 20, "small on the disk: read on the cores");
    for name in ["a.gz", "b.gz"] {
        // Files of a batch are judged one after the other. This one fills it.
        fs::write(folder.path().join(name), &archive).unwrap();
        fs::write(folder.path().join(format!("{name}.eml")), "A: b\n\n".repeat(40_000)).unwrap();
    }
    let out = File::create(folder.path().join("lines")).unwrap();
    let args = ["--jobs", "2", "a.gz", "a.gz.eml", "b.gz", "b.gz.eml"];
    let mut child = command(folder.path()).args(args).stdout(out).spawn().unwrap();
    let peak = peak_of(&mut child);
    let lines = fs::metadata(folder.path().join("lines")).unwrap().len();
    println!("{} MiB of lines, {} MiB at the peak", lines >> 20, peak >> 20);
    assert!(lines > 150 << 20, "{lines}");
    assert!(peak < 96 << 20, "{} MiB", peak >> 20);
}

/// Peak memory of a scan, in bytes, as the kernel counts it.
fn peak_memory(folder: &Path, args: &[&str]) -> usize {
    let mut child = command(folder).args(args).stdout(Stdio::piped()).spawn().unwrap();
    let peak = peak_of(&mut child);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(out.contains("messages"), "{out}");
    peak
}

/// Peak memory of a running process until its end, in bytes.
fn peak_of(child: &mut Child) -> usize {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
        peak = peak.max(kib.unwrap_or_default() << 10);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(peak > 0, "the kernel reported nothing");
    peak
}

#[test]
fn progress_is_drawn_on_a_terminal_and_only_there() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.mbox"), mbox(3_000)).unwrap();
    assert_eq!(stderr_text(&scan(folder.path(), &["all.mbox"])), "");
    // `script` of util-linux gives a terminal.
    let line = format!("{} scan all.mbox >/dev/null", env!("CARGO_BIN_EXE_linkmilter"));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "typescript"])
        .current_dir(folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let drawn = fs::read(folder.path().join("typescript")).unwrap();
    let drawn = String::from_utf8_lossy(&drawn).into_owned();
    for word in ["messages", "findings", "/s"] {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
}

/// Every name of a source is refused as the output, and the source is as it was.
#[test]
fn the_output_never_replaces_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mail = mbox(8);
    fs::write(path("all.mbox"), &mail).unwrap();
    symlink("all.mbox", path("link")).unwrap();
    fs::hard_link(path("all.mbox"), path("hard")).unwrap();
    fs::create_dir(path("sub")).unwrap();
    fs::write(path("sub/1.eml"), phish(1)).unwrap();
    fs::write(path("list"), "all.mbox\0").unwrap();
    for args in [
        &["--out", "all.mbox", "all.mbox"][..],
        &["--out", "link", "all.mbox"],
        &["--out", "hard", "all.mbox"],
        &["--out", "all.mbox", "link"],
        &["--out", "sub/../all.mbox", "all.mbox"],
        &["--out", "all.mbox", "."],
        &["--out", "sub/1.eml", "."],
        &["--out", "all.mbox", "--files0-from", "list"],
        &["--out", "list", "--files0-from", "list"],
        &["--out", "all.mbox", "--ranges", "1", "all.mbox"],
        &["--out", "all.mbox", "--resume", "journal", "all.mbox"],
        &["--out", "all.mbox", "--format", "html", "all.mbox"],
    ] {
        let output = scan(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = stderr_text(&output);
        assert!(text.contains("a file that is not scanned"), "{args:?}: {text}");
        assert_eq!(fs::read_to_string(path("all.mbox")).unwrap(), mail, "{args:?}");
        assert_eq!(fs::read_to_string(path("sub/1.eml")).unwrap(), phish(1), "{args:?}");
        assert!(!path("journal").exists() && !path("all.mbox.part").exists(), "{args:?}");
    }
    // Standard input is a source as well.
    let stdin = File::open(path("all.mbox")).unwrap();
    let output = command(folder.path()).args(["--out", "all.mbox", "-"]).stdin(stdin).output();
    assert_eq!(output.unwrap().status.code(), Some(2));
    assert_eq!(fs::read_to_string(path("all.mbox")).unwrap(), mail);
}

#[test]
fn an_older_output_stays_until_there_is_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("keep"), "old\n").unwrap();
    for args in [
        &["--out", "keep", "/nonexistent"][..],
        &["--out", "keep", "/nonexistent", "--resume", "journal"],
        &["--out", "keep", "/nonexistent", "--format", "html"],
    ] {
        assert_eq!(scan(folder.path(), args).status.code(), Some(2), "{args:?}");
        assert_eq!(fs::read_to_string(path("keep")).unwrap(), "old\n", "{args:?}");
    }
    fs::write(path("a.eml"), phish(1)).unwrap();
    fs::set_permissions(path("keep"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("keep", path("link")).unwrap();
    for args in [&["--out", "link", "a.eml"][..], &["--out", "keep", "--resume", "j", "a.eml"]] {
        fs::write(path("keep"), "old\n").unwrap();
        assert_eq!(scan(folder.path(), args).status.code(), Some(1), "{args:?}");
        assert!(fs::read_to_string(path("keep")).unwrap().starts_with('{'), "{args:?}");
        assert!(path("link").is_symlink());
        assert_eq!(fs::metadata(path("keep")).unwrap().permissions().mode() & 0o777, 0o640);
    }
    let mut left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.eml", "keep", "link"]);
}
