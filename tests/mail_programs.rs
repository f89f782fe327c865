//! The quick form of `tests/run mail-programs`: a tenth of its messages, shown to Python's parser and, where they
//! are installed, to Perl's, before the filter and after it. No deceptive link that one of them shows may come
//! through without a finding.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

#[test]
fn nothing_that_a_program_shows_comes_through() {
    let root = env!("CARGO_MANIFEST_DIR");
    let generate = format!("{root}/tests/mail_programs/generate.py");
    let python = |script: &str, arguments: &[&str]| {
        let out = Command::new("python3").arg(script).args(arguments).current_dir(root).output();
        out.ok().map(|out| (out.status, String::from_utf8_lossy(&out.stdout).into_owned()))
    };
    let folder = tempfile::tempdir().unwrap();
    let messages = folder.path().to_str().unwrap();
    let Some((made, said)) = python(&generate, &[messages, "--quick"]) else {
        println!("not run: python3 is missing");
        return;
    };
    assert!(made.success(), "{said}");
    let judge = format!("{root}/tests/mail_programs/judge.py");
    let programs =
        ["python3 tests/mail_programs/show_python.py", "perl tests/mail_programs/show_perl.pl"];
    let linkmilter = env!("CARGO_BIN_EXE_linkmilter");
    let (judged, said) = python(&judge, &[linkmilter, messages, programs[0], programs[1]]).unwrap();
    print!("{said}");
    assert!(judged.success(), "{said}");
    assert!(said.contains("Python (default)"), "{said}");
}
