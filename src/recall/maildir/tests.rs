use super::*;

const NAME: &str = "1700000000.M1P2.host,S=8,W=10:2,FS";

fn maildir(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for subdirectory in ["cur", "new", "tmp"] {
        fs::create_dir(dir.path().join(subdirectory)).unwrap();
    }
    for (path, text) in files {
        fs::write(dir.path().join(path), text).unwrap();
    }
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for subdirectory in ["cur", "new", "tmp"] {
        for entry in fs::read_dir(dir.join(subdirectory)).unwrap() {
            found.push(format!("{subdirectory}/{}", entry.unwrap().file_name().to_string_lossy()));
        }
    }
    found.sort();
    found
}

#[test]
fn flags_dates_and_sizes_are_kept() {
    let dir = maildir(&[(&format!("cur/{NAME}"), "A: b\n\nc\n")]);
    let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = File::options().write(true).open(dir.path().join("cur").join(NAME)).unwrap();
    file.set_modified(then).unwrap();
    let folder = &folders(dir.path()).unwrap().found[0];
    let message = folder.messages().unwrap().remove(0);
    assert_eq!(folder.replace(&message, b"A: b\n\nnew text\n").unwrap(), ReplacedInMaildir::Done);
    assert_eq!(names(dir.path()), ["cur/1700000000.M1P2.host_lm1,S=15,W=18:2,FS"]);
    let message = folder.messages().unwrap().remove(0);
    assert_eq!(folder.read(&message, 100).unwrap(), (b"A: b\n\nnew text\n".to_vec(), then));
    folder.replace(&message, b"x").unwrap();
    assert_eq!(names(dir.path()), ["cur/1700000000.M1P2.host_lm2,S=1,W=1:2,FS"]);
}

#[test]
fn flags_changed_meanwhile_are_kept() {
    let dir = maildir(&[("new/1.a.host", "old")]);
    let folder = &folders(dir.path()).unwrap().found[0];
    let message = folder.messages().unwrap().remove(0);
    fs::write(dir.path().join("new/1.a.host_lm1"), "new").unwrap();
    fs::rename(dir.path().join("new/1.a.host"), dir.path().join("cur/1.a.host:2,RS")).unwrap();
    let new = MaildirMessage { subdirectory: "new", name: "1.a.host_lm1".into() };
    assert_eq!(
        folder.remove_original(&message, new, MadeBy::ThisCall).unwrap(),
        ReplacedInMaildir::Done
    );
    assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,RS"]);
    assert_eq!(fs::read(dir.path().join("cur/1.a.host_lm1:2,RS")).unwrap(), b"new");
}

#[test]
fn a_message_removed_meanwhile_stays_removed() {
    let dir = maildir(&[("cur/1.a.host:2,", "old"), ("cur/2.b.host:2,", "other")]);
    let folder = &folders(dir.path()).unwrap().found[0];
    let message = folder.messages().unwrap().remove(0);
    fs::write(dir.path().join("cur/1.a.host_lm1:2,"), "new").unwrap();
    fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
    let new = MaildirMessage { subdirectory: "cur", name: "1.a.host_lm1:2,".into() };
    assert_eq!(
        folder.remove_original(&message, new, MadeBy::ThisCall).unwrap(),
        ReplacedInMaildir::Gone
    );
    assert_eq!(names(dir.path()), ["cur/2.b.host:2,"]);
}

/// Both runs read the message before either replaced it. Tests every order of their steps.
#[test]
fn of_two_concurrent_runs_one_replaces_the_message() {
    let dir = maildir(&[("cur/1.a.host:2,", "old")]);
    let folder = &folders(dir.path()).unwrap().found[0];
    let message = folder.messages().unwrap().remove(0);
    fs::write(dir.path().join("cur/1.a.host_lm1:2,"), "theirs").unwrap();
    let error = folder.replace(&message, b"ours").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(dir.path()), ["cur/1.a.host:2,", "cur/1.a.host_lm1:2,"]);
    assert_eq!(fs::read(dir.path().join("cur/1.a.host_lm1:2,")).unwrap(), b"theirs");

    fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
    assert!(folder.replace(&message, b"ours").is_err());
    assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,"]);
}

#[test]
fn a_copy_finished_by_another_run_is_kept() {
    let dir = maildir(&[("cur/1.a.host:2,", "old"), ("cur/1.a.host_lm1:2,", "new")]);
    let folder = &folders(dir.path()).unwrap().found[0];
    let mut all = folder.messages().unwrap();
    let (copy, message) = (all.remove(1), all.remove(0));
    fs::remove_file(dir.path().join("cur/1.a.host:2,")).unwrap();
    assert_eq!(folder.finish(&message, copy).unwrap(), ReplacedInMaildir::Gone);
    assert_eq!(names(dir.path()), ["cur/1.a.host_lm1:2,"]);
}

#[test]
fn a_folder_is_locked_by_one_run() {
    let dir = maildir(&[]);
    let folder = &folders(dir.path()).unwrap().found[0];
    let folder_lock = folder.lock().unwrap();
    let other = File::open(dir.path()).unwrap();
    assert!(other.try_lock().is_err());
    drop(folder_lock);
    other.try_lock().unwrap();
}

#[test]
fn a_failed_write_leaves_the_message() {
    let dir = maildir(&[("cur/1.a.host:2,", "old")]);
    let folder = folders(dir.path()).unwrap().found.remove(0);
    let message = folder.messages().unwrap().remove(0);
    fs::remove_dir(dir.path().join("tmp")).unwrap();
    assert!(folder.replace(&message, b"new").is_err());
    assert_eq!(fs::read(dir.path().join("cur/1.a.host:2,")).unwrap(), b"old");
    assert!(folders(dir.path()).is_err(), "no Maildir any more");
}

/// Replaced between the listing and the reading.
#[test]
fn a_message_replaced_by_a_link_or_pipe_is_not_read() {
    let other = maildir(&[("cur/1.a.host:2,", "theirs")]);
    let link = |path: &Path| {
        std::os::unix::fs::symlink(other.path().join("cur/1.a.host:2,"), path).unwrap();
    };
    let pipe = |path: &Path| {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    };
    let folder = |path: &Path| fs::create_dir(path).unwrap();
    for put in [&link as &dyn Fn(&Path), &pipe, &folder] {
        let dir = maildir(&[("cur/1.a.host:2,", "ours")]);
        let path = dir.path().join("cur/1.a.host:2,");
        let own = &folders(dir.path()).unwrap().found[0];
        let message = own.messages().unwrap().remove(0);
        fs::remove_file(&path).unwrap();
        put(&path);
        let error = own.read(&message, 100).unwrap_err();
        assert_ne!(error.kind(), ErrorKind::NotFound, "{error}");
    }
}

/// Root may read and write it, but would leave files that the owner cannot.
#[test]
fn a_message_of_another_user_is_not_read() {
    let dir = maildir(&[("cur/1.a.host:2,", "theirs")]);
    let path = dir.path().join("cur/1.a.host:2,");
    if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
        return; // Only root can change the owner.
    }
    let own = &folders(dir.path()).unwrap().found[0];
    let message = own.messages().unwrap().remove(0);
    let error = own.read(&message, 100).unwrap_err();
    assert!(error.to_string().contains("owner (12345)"), "{error}");
    std::os::unix::fs::chown(dir.path(), Some(12_345), None).unwrap();
    let error = folders(dir.path()).unwrap_err();
    assert!(error.to_string().contains("owner (12345)"), "{error}");
}

#[test]
fn folders_of_every_layout_are_found_and_incomplete_ones_reported() {
    let dir = maildir(&[]);
    for path in [".Sent", "Sent", "Lists/a", "Lists/a/b", "new.old"] {
        for subdirectory in ["cur", "new", "tmp"] {
            fs::create_dir_all(dir.path().join(path).join(subdirectory)).unwrap();
        }
    }
    fs::create_dir(dir.path().join("sieve")).unwrap();
    fs::remove_dir(dir.path().join("Lists/a/tmp")).unwrap();
    let all = folders(dir.path()).unwrap();
    let relative = |path: &Path| path.strip_prefix(dir.path()).unwrap().display().to_string();
    let found: Vec<String> = all.found.iter().map(|folder| relative(&folder.path)).collect();
    assert_eq!(found, ["", ".Sent", "Lists/a/b", "Sent", "new.old"]);
    let unreadable: Vec<String> = all.unreadable.iter().map(|(path, _)| relative(path)).collect();
    assert_eq!(unreadable, ["Lists/a"]);
}

#[test]
fn symbolic_links_out_of_the_mailbox_are_not_followed() {
    let dir = maildir(&[]);
    let other = maildir(&[("cur/1.a.host:2,", "theirs")]);
    std::os::unix::fs::symlink(other.path(), dir.path().join(".Out")).unwrap();
    std::os::unix::fs::symlink(other.path().join("cur/1.a.host:2,"), dir.path().join("cur/x"))
        .unwrap();
    let found = folders(dir.path()).unwrap().found;
    assert_eq!(found.len(), 1);
    // The link is listed, so that it is reported, and never read.
    let listed = found[0].messages().unwrap();
    assert_eq!(listed.len(), 1);
    let error = found[0].read(&listed[0], 100).unwrap_err().to_string();
    assert!(error.contains("a symbolic link"), "{error}");
}

#[test]
fn a_copy_that_an_interrupted_run_left_in_tmp_is_removed() {
    let dir =
        maildir(&[("cur/1.a.host:2,", "x"), ("tmp/1.a.host_lm1.7-0", "y"), ("tmp/1.b.host", "z")]);
    let folder = &folders(dir.path()).unwrap().found[0];
    assert_eq!(folder.clean(&folder.lock().unwrap()).unwrap(), 1);
    assert_eq!(names(dir.path()), ["cur/1.a.host:2,", "tmp/1.b.host"]);
}
