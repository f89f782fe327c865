//! `linkmilter scan --resume`: for every source, output format and kind of interruption, the
//! resumed scan ends with the output of an uninterrupted one.
//!
//! Sources come through a named pipe that blocks in the middle, so that the interruption is at the
//! same point on every machine: the first half is sent, the journal is awaited, the scan is ended,
//! and everything is sent again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Timeout of every wait.
const TIMEOUT: Duration = Duration::from_secs(60);
const FROM: &str = "From bob@example.org Thu Aug 22 12:36:23 2024\n";

/// Every fourth message has a misleading link.
fn message(number: usize) -> String {
    let host = if number.is_multiple_of(4) { "раypal.com" } else { "www.example.org" };
    format!(
        "From: Bank <service@mail{}.example>\nDate: Thu, {:02} Aug 2024 12:36:23 +0200\n\
         Message-ID: <{number}@mail.example>\nContent-Type: text/plain; charset=utf-8\n\n\
         Please sign in at http://{host}/login/{number} today.\n",
        number % 3,
        number % 28 + 1
    )
}

fn mbox(count: usize) -> Vec<u8> {
    (0..count).map(|number| format!("{FROM}{}\n", message(number))).collect::<String>().into()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An archive of messages and of an mbox.
fn tar(count: usize) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut append = |name: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, bytes).unwrap();
    };
    (0..count).for_each(|number| append(&format!("{number}.eml"), message(number).as_bytes()));
    append("old.mbox", &mbox(count));
    builder.into_inner().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkmilter"));
    command.arg("scan").args(args).current_dir(folder).stderr(Stdio::piped());
    command
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < TIMEOUT, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Ctrl-C.
    Interrupt,
    /// SIGKILL, or a crash.
    Kill,
}

/// A scan of what comes through the pipe `source` of `folder`.
struct Piped<'f> {
    folder: &'f Path,
    args: &'f [&'f str],
}

impl Piped<'_> {
    /// Runs it to its end.
    fn whole(&self, bytes: &[u8]) -> Output {
        let child = command(self.folder, self.args).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::scope(|threads| {
            threads.spawn(|| self.open().write_all(bytes).unwrap());
            child.wait_with_output().unwrap()
        })
    }

    /// Ends it once the journal covers a part of what was sent.
    fn ended(&self, bytes: &[u8], end: End) {
        let child = command(self.folder, self.args).stdout(Stdio::piped()).spawn().unwrap();
        let mut pipe = self.open();
        let (now, later) = bytes.split_at(bytes.len() * 2 / 3);
        pipe.write_all(now).unwrap();
        until("the journal", || self.folder.join("journal").exists());
        let output = self.end(child, pipe, later, end);
        match end {
            End::Kill => assert_eq!(output.status.code(), None),
            End::Interrupt => {
                assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
                let hint = "continue with --resume journal";
                assert!(stderr_text(&output).contains(hint), "{}", stderr_text(&output));
            }
        }
        assert!(self.folder.join("journal").exists());
    }

    fn end(&self, mut child: Child, mut pipe: File, later: &[u8], end: End) -> Output {
        let signal = if end == End::Kill { "-KILL" } else { "-INT" };
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        if end == End::Kill {
            child.wait().unwrap();
        }
        // After an interrupt the scan ends at the next message that it reads.
        let _ = pipe.write_all(later);
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        // Unread data stays in a pipe while any process has it open, and a parallel test that
        // starts a process does until its `exec`. So the next scan gets a new pipe.
        fs::remove_file(self.folder.join("source")).unwrap();
        make_pipe(self.folder);
        output
    }

    /// Opens the writing end. Waits for the reader.
    fn open(&self) -> File {
        OpenOptions::new().write(true).open(self.folder.join("source")).unwrap()
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    make_pipe(folder.path());
    folder
}

fn make_pipe(folder: &Path) {
    let made = Command::new("mkfifo").arg(folder.join("source")).status().unwrap();
    assert!(made.success());
}

/// Ends a scan in every way, resumes it, and compares the output. Returns the messages of the
/// resumed scans.
fn assert_goes_on(bytes: &[u8], source: &[&str], form: &[&str]) {
    for end in [End::Interrupt, End::Kill] {
        let folder = folder();
        let whole = [form, &["--jobs", "2", "--out", "whole"], source].concat();
        let whole = Piped { folder: folder.path(), args: &whole }.whole(bytes);
        assert_eq!(whole.status.code(), Some(1), "{}", stderr_text(&whole));
        let args =
            [form, &["--jobs", "2", "--out", "part", "--resume", "journal"], source].concat();
        let scan = Piped { folder: folder.path(), args: &args };
        scan.ended(bytes, end);
        let rest = scan.whole(bytes);
        assert_eq!(rest.status.code(), Some(1), "{end:?}: {}", stderr_text(&rest));
        let read = |name| fs::read(folder.path().join(name)).unwrap();
        assert!(!read("whole").is_empty());
        assert!(read("whole") == read("part"), "{end:?}, {form:?}: the outputs differ");
        assert!(!folder.path().join("journal").exists(), "{end:?}");
    }
}

#[test]
fn every_output_format_can_be_resumed() {
    let bytes = mbox(6_000);
    for form in ["jsonl", "csv", "summary", "html", "stix"] {
        assert_goes_on(&bytes, &["source"], &["--format", form]);
    }
    assert_goes_on(&bytes, &["source"], &["--diff"]);
    assert_goes_on(&bytes, &["source"], &["--all-links", "--account"]);
}

#[test]
fn every_container_can_be_resumed() {
    let bytes = mbox(12_000);
    for packed in [gzip(&bytes), zstd::encode_all(&bytes[..], 1).unwrap(), xz(&bytes)] {
        assert_goes_on(&packed, &["source"], &[]);
    }
    let archive = tar(3_000);
    assert_goes_on(&archive, &["source"], &[]);
    assert_goes_on(&gzip(&archive), &["source"], &[]);
}

/// Single files and ranges. The list itself comes through the pipe.
#[test]
fn lists_can_be_resumed() {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().display();
    let archive = mbox(4_000);
    fs::write(files.path().join("all.mbox"), &archive).unwrap();
    fs::create_dir_all(files.path().join("Maildir/cur")).unwrap();
    fs::create_dir_all(files.path().join("Maildir/new")).unwrap();
    let mut list = String::new();
    for number in 0..400 {
        fs::write(files.path().join(format!("{number}.eml")), message(number)).unwrap();
        fs::write(files.path().join(format!("Maildir/cur/{number}:2,S")), message(number)).unwrap();
        list.push_str(&format!("{path}/{number}.eml\0"));
        let step = archive.len() / 400;
        let (start, end) = (number * step, (number + 1) * step);
        list.push_str(&format!("mbox:{start}-{end}:{path}/all.mbox\0"));
        if number == 200 {
            list.push_str(&format!("{path}/Maildir\0"));
        }
    }
    assert_goes_on(list.as_bytes(), &["--files0-from", "source"], &[]);
}

/// A folder cannot block, so the scan is ended as soon as the journal exists, and as often as
/// needed.
#[test]
fn a_maildir_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["mail/cur", "mail/new", "mail/.Old/cur", "mail/.Old/new"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    for number in 0..1_500 {
        let name = if number % 2 == 0 { "mail/cur" } else { "mail/.Old/new" };
        fs::write(folder.path().join(format!("{name}/{number:05}")), message(number)).unwrap();
    }
    let whole = command(folder.path(), &["mail"]).output().unwrap();
    let args = ["mail", "--out", "part", "--resume", "journal", "--jobs", "1"];
    let mut ended = 0;
    for signal in ["-INT", "-KILL"].into_iter().cycle().take(4) {
        let mut child = command(folder.path(), &args).spawn().unwrap();
        let before = fs::read(folder.path().join("journal")).unwrap_or_default();
        until("the journal", || {
            let now = fs::read(folder.path().join("journal")).unwrap_or_default();
            now != before || child.try_wait().unwrap().is_some()
        });
        // It may have ended by itself meanwhile.
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).output();
        let output = child.wait_with_output().unwrap();
        if output.status.code() == Some(1) {
            break;
        }
        ended += 1;
    }
    if folder.path().join("journal").exists() {
        let rest = command(folder.path(), &args).output().unwrap();
        assert_eq!(rest.status.code(), Some(1), "{}", stderr_text(&rest));
    }
    println!("ended {ended} times");
    assert!(fs::read(folder.path().join("part")).unwrap() == whole.stdout);
}

/// A scan that was ended after its last message goes on where it was: before its output was put in
/// its place, and after.
#[test]
fn a_scan_that_was_ended_at_its_end_is_complete() {
    let folder = folder();
    let path = |name| folder.path().join(name);
    let bytes = mbox(4_000);
    let args = ["source", "--out", "part", "--resume", "journal"];
    let scan = Piped { folder: folder.path(), args: &args };
    let child = command(folder.path(), &args).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = scan.open();
    let (now, later) = bytes.split_at(bytes.len() / 2);
    pipe.write_all(now).unwrap();
    until("the journal", || path("journal").exists());
    // A folder cannot be replaced by a file.
    fs::create_dir(path("part")).unwrap();
    pipe.write_all(later).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_text(&output).contains("could not write the output"));
    fs::remove_dir(path("part")).unwrap();
    let journal = fs::read(path("journal")).unwrap();
    assert_eq!(scan.whole(&bytes).status.code(), Some(1));
    let part = fs::read(path("part")).unwrap();
    assert_eq!(part.split(|byte| *byte == b'\n').count(), 1_001);
    assert!(!path("journal").exists() && !path("part.part").exists());
    // As when it was killed before it removed the journal. Nothing is read again.
    fs::write(path("journal"), journal).unwrap();
    let again = command(folder.path(), &args).output().unwrap();
    assert_eq!(again.status.code(), Some(1), "{}", stderr_text(&again));
    assert!(fs::read(path("part")).unwrap() == part);
    assert!(!path("journal").exists());
}

/// Standard input can be resumed with the same bytes. With other bytes the scan refuses.
#[test]
fn standard_input_can_be_resumed_with_the_same_bytes() {
    let folder = folder();
    let bytes = mbox(6_000);
    let run = |bytes: &[u8]| {
        let args = ["-", "--out", "part", "--resume", "journal"];
        let mut child = command(folder.path(), &args).stdin(Stdio::piped()).spawn().unwrap();
        // A scan that refuses stops reading.
        let _ = child.stdin.take().unwrap().write_all(bytes);
        child.wait_with_output().unwrap()
    };
    let args = ["-", "--out", "part", "--resume", "journal"];
    let mut child = command(folder.path(), &args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes[..bytes.len() / 2]).unwrap();
    until("the journal", || folder.path().join("journal").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let other = run(&bytes[FROM.len() + message(0).len() + 1..]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr_text(&other).contains("sources changed"), "{}", stderr_text(&other));
    let shorter = run(&mbox(1));
    assert!(stderr_text(&shorter).contains("sources changed"), "{}", stderr_text(&shorter));
    let rest = run(&bytes);
    assert_eq!(rest.status.code(), Some(1), "{}", stderr_text(&rest));
    fs::write(folder.path().join("all"), &bytes).unwrap();
    let mut whole = command(folder.path(), &["-"]);
    let whole = whole.stdin(File::open(folder.path().join("all")).unwrap()).output().unwrap();
    assert!(fs::read(folder.path().join("part")).unwrap() == whole.stdout);
}

/// A scan of these paths that is killed when its journal covers something.
fn killed(folder: &Path, args: &[&str]) {
    let mut child = command(folder, args).spawn().unwrap();
    until("a batch", || {
        let journal = fs::read_to_string(folder.join("journal")).unwrap_or_default();
        assert!(child.try_wait().unwrap().is_none(), "done before it could be killed");
        !journal.is_empty() && !journal.contains("\"batches\":0")
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What was scanned is compared by content, or by size and time where it is not read again. A change
/// there is reported with its place; what follows is read as it is now.
#[test]
fn a_source_that_changed_is_reported_and_one_that_grew_is_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["all.mbox", "--out", "part", "--resume", "journal", "--jobs", "1"];
    let archive = folder.path().join("all.mbox");
    let mut bytes = mbox(12_000);
    fs::write(&archive, &bytes).unwrap();
    killed(folder.path(), &args);
    // As long as before, and as old.
    let modified = fs::metadata(&archive).unwrap().modified().unwrap();
    let mut other = bytes.clone();
    let host = bytes.windows(15).position(|window| window == b"www.example.org").unwrap();
    other[host] = b'W';
    fs::write(&archive, &other).unwrap();
    File::open(&archive).unwrap().set_modified(modified).unwrap();
    let refused = command(folder.path(), &args).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = "the sources changed since they were scanned: all.mbox;";
    assert!(stderr_text(&refused).contains(said), "{}", stderr_text(&refused));
    bytes.extend(mbox(100));
    fs::write(&archive, &bytes).unwrap();
    let rest = command(folder.path(), &args).output().unwrap();
    assert_eq!(rest.status.code(), Some(1), "{}", stderr_text(&rest));
    let whole = command(folder.path(), &["all.mbox"]).output().unwrap();
    assert!(fs::read(folder.path().join("part")).unwrap() == whole.stdout);
}

#[test]
fn a_small_file_that_changed_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("mail")).unwrap();
    let path = |number: usize| folder.path().join(format!("mail/{number:05}"));
    for number in 0..6_000 {
        fs::write(path(number), message(number)).unwrap();
    }
    let args = ["mail", "--out", "part", "--resume", "journal", "--jobs", "1"];
    killed(folder.path(), &args);
    fs::write(path(5), message(5).to_uppercase()).unwrap();
    let refused = command(folder.path(), &args).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = "the sources changed since they were scanned: mail/00000 to mail/000";
    assert!(stderr_text(&refused).contains(said), "{}", stderr_text(&refused));
    // The same time and another size.
    let modified = fs::metadata(path(6)).unwrap().modified().unwrap();
    fs::remove_file(folder.path().join("journal")).unwrap();
    killed(folder.path(), &args);
    fs::write(path(6), message(6) + "more\n").unwrap();
    File::open(path(6)).unwrap().set_modified(modified).unwrap();
    let refused = command(folder.path(), &args).output().unwrap();
    assert!(stderr_text(&refused).contains("sources changed"), "{}", stderr_text(&refused));
}

#[test]
fn two_scans_of_one_journal_are_kept_apart() {
    let folder = folder();
    let bytes = mbox(6_000);
    let args = ["source", "--out", "part", "--resume", "journal"];
    let scan = Piped { folder: folder.path(), args: &args };
    let first = command(folder.path(), &args).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = scan.open();
    pipe.write_all(&bytes[..bytes.len() / 2]).unwrap();
    until("the journal", || folder.path().join("journal").exists());
    let second = command(folder.path(), &args).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let said = "journal: another scan is working with it";
    assert!(stderr_text(&second).contains(said), "{}", stderr_text(&second));
    pipe.write_all(&bytes[bytes.len() / 2..]).unwrap();
    drop(pipe);
    let first = first.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(1), "{}", stderr_text(&first));
    let whole = Piped { folder: folder.path(), args: &["source"] }.whole(&bytes);
    assert!(fs::read(folder.path().join("part")).unwrap() == whole.stdout);
    assert!(!folder.path().join("journal").exists());
}

/// The lines on standard output, appended, after Ctrl-C.
#[test]
fn lines_appended_after_an_interrupt_are_those_of_one_scan() {
    let folder = folder();
    let bytes = mbox(6_000);
    let args = ["source", "--resume", "journal"];
    let scan = Piped { folder: folder.path(), args: &args };
    let append = || OpenOptions::new().create(true).append(true).open(folder.path().join("out"));
    let child = command(folder.path(), &args).stdout(append().unwrap()).spawn().unwrap();
    let mut pipe = scan.open();
    let (now, later) = bytes.split_at(bytes.len() / 2);
    pipe.write_all(now).unwrap();
    until("the journal", || folder.path().join("journal").exists());
    let output = scan.end(child, pipe, later, End::Interrupt);
    assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
    assert!(fs::read(folder.path().join("out")).unwrap().ends_with(b"\n"), "lines are whole");
    let child = command(folder.path(), &args).stdout(append().unwrap()).spawn().unwrap();
    scan.open().write_all(&bytes).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    let whole = Piped { folder: folder.path(), args: &["source"] }.whole(&bytes);
    assert!(fs::read(folder.path().join("out")).unwrap() == whole.stdout);
}
