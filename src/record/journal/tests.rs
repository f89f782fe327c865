use super::*;
use crate::record::SCHEMA_VERSION;
use crate::record::event::Action;

const START: u64 = 1_763_715_635;

fn event(second: u64, id: &str, action: Action) -> Event {
    Event {
        v: SCHEMA_VERSION,
        time: Timestamp((START + second) * 1_000),
        queue_id: id.to_owned(),
        action,
        ..Event::default()
    }
}

fn ids(directory: &Path, since: Timestamp) -> (Vec<String>, ReadSummary) {
    let mut ids = Vec::new();
    let query = Query { since, ..Query::default() };
    let summary = read(directory, query, |event| ids.push(event.queue_id)).unwrap();
    (ids, summary)
}

#[test]
fn written_events_are_read() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("journal");
    assert_eq!(ids(&directory, Timestamp(0)), (Vec::new(), ReadSummary::default()));
    let mut journal = EventJournal::open(&directory, JournalBounds::default()).unwrap();
    journal.record(&event(0, "A", Action::Edited)).unwrap();
    journal.record(&event(1, "B", Action::Passed)).unwrap();
    drop(journal);
    let mut journal = EventJournal::open(&directory, JournalBounds::default()).unwrap();
    journal.record(&event(2, "C", Action::Reported)).unwrap();
    journal.sync().unwrap();
    let (all, summary) = ids(&directory, Timestamp(0));
    assert_eq!(all, ["A", "C", "B"]);
    assert_eq!(summary.damaged, 0);
    assert_eq!(summary.oldest_clean, Some(Timestamp((START + 1) * 1_000)));
    assert_eq!(ids(&directory, Timestamp((START + 2) * 1_000)).0, ["C"]);
    let mut found = Vec::new();
    let query = Query { queue_id: Some("B"), ..Query::default() };
    read(&directory, query, |event| found.push(event.queue_id)).unwrap();
    assert_eq!(found, ["B"]);
}

#[test]
fn modes_are_narrow() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("journal");
    let mut journal = EventJournal::open(&directory, JournalBounds::default()).unwrap();
    journal.record(&event(0, "A", Action::Edited)).unwrap();
    let segment = segments(&directory, "events").unwrap().pop().unwrap().path;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&segment), 0o640);
    assert_eq!(mode(&directory) & !0o750, 0);
    fs::set_permissions(&segment, Permissions::from_mode(0o666)).unwrap();
    let mut journal = EventJournal::open(&directory, JournalBounds::default()).unwrap();
    journal.record(&event(1, "B", Action::Edited)).unwrap();
    assert_eq!(mode(&segment), 0o640);
}

#[test]
fn a_torn_last_line_is_skipped_and_nothing_else_lost() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    for id in ["A", "B", "C"] {
        journal.record(&event(0, id, Action::Edited)).unwrap();
    }
    drop(journal);
    let path = segments(root.path(), "events").unwrap().pop().unwrap().path;
    let whole = fs::read(&path).unwrap();
    let third = whole.len() - whole.len() / 3;
    for cut in third..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
        journal.record(&event(1, "D", Action::Edited)).unwrap();
        let (found, summary) = ids(root.path(), Timestamp(0));
        // C is whole as soon as only its line end is missing, and absent at the cut before it.
        let expected: &[&str] =
            if cut + 1 >= whole.len() { &["A", "B", "C", "D"] } else { &["A", "B", "D"] };
        assert_eq!(found, expected, "cut at {cut} of {}", whole.len());
        assert!(summary.damaged <= 1);
    }
}

#[test]
fn a_directory_that_is_replaced_is_said_and_so_is_a_file_in_its_place() {
    let root = tempfile::tempdir().unwrap();
    let place = root.path().join("journal");
    fs::create_dir(&place).unwrap();
    let mut journal = EventJournal::open(&place, JournalBounds::default()).unwrap();
    journal.record(&event(0, "A", Action::Edited)).unwrap();
    journal.look().unwrap();
    fs::rename(&place, root.path().join("old")).unwrap();
    fs::write(&place, "").unwrap();
    assert!(journal.look().is_err());
    assert!(journal.record(&event(1, "B", Action::Edited)).is_err());
}

#[test]
fn zeros_after_a_power_cut_are_one_damaged_line() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    journal.record(&event(0, "A", Action::Edited)).unwrap();
    drop(journal);
    let path = segments(root.path(), "events").unwrap().pop().unwrap().path;
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&vec![0; 200_000]).unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    journal.record(&event(1, "B", Action::Edited)).unwrap();
    let (found, summary) = ids(root.path(), Timestamp(0));
    assert_eq!((found, summary.damaged), (vec!["A".to_owned(), "B".to_owned()], 1));
}

#[test]
fn bytes_are_bounded_and_clean_mail_does_not_push_out_findings() {
    let root = tempfile::tempdir().unwrap();
    let bounds = JournalBounds { bytes: 64 << 10, ..JournalBounds::default() };
    let mut journal = EventJournal::open(root.path(), bounds).unwrap();
    journal.record(&event(0, "FIRST", Action::Edited)).unwrap();
    for number in 0..5_000 {
        journal.record(&event(number / 100, "CLEAN", Action::Passed)).unwrap();
    }
    let size = |stream| -> u64 {
        segments(root.path(), stream).unwrap().iter().map(|segment| segment.length).sum()
    };
    assert!(size("clean") <= bounds.bytes / 4);
    assert!(size("clean") > bounds.bytes / 8);
    assert_eq!(ids(root.path(), Timestamp(0)).0.first().map(String::as_str), Some("FIRST"));
    for number in 0..5_000 {
        journal.record(&event(number / 100, "FOUND", Action::Edited)).unwrap();
    }
    assert!(size("events") + size("clean") <= bounds.bytes);
    assert!(!ids(root.path(), Timestamp(0)).0.iter().any(|id| id == "FIRST"));
}

const DAY: Duration = Duration::from_secs(86_400);

/// Segments of forty days, each written to last on its day.
fn forty_days(directory: &Path) -> EventJournal {
    let mut journal = EventJournal::open(directory, JournalBounds::default()).unwrap();
    for day in 0..40 {
        journal.record(&event(day * 86_400, &day.to_string(), Action::Edited)).unwrap();
    }
    for (day, segment) in segments(directory, "events").unwrap().iter().enumerate() {
        segment.touch(at(day as u32)).unwrap();
    }
    journal
}

fn at(day: u32) -> Timestamp {
    Timestamp(START * 1_000).plus(DAY * day)
}

#[test]
fn age_is_bounded() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = forty_days(root.path());
    journal.expire(at(39), Duration::ZERO).unwrap();
    let (left, _) = ids(root.path(), Timestamp(0));
    assert_eq!(left.first().map(String::as_str), Some("9"));
    assert_eq!(left.last().map(String::as_str), Some("39"));
    journal.expire(at(41), DAY * 2).unwrap();
    assert_eq!(ids(root.path(), Timestamp(0)).0.first().map(String::as_str), Some("11"));
}

#[test]
fn a_clock_that_steps_ahead_and_back_costs_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = forty_days(root.path());
    let hour = DAY / 24;
    journal.expire(at(30), Duration::ZERO).unwrap();
    assert_eq!(ids(root.path(), Timestamp(0)).0.len(), 40);
    // Wrong for twenty hours, and events are written meanwhile.
    for hours in 1..20 {
        journal.expire(at(400).plus(hour * hours), hour * hours).unwrap();
        journal.record(&event(400 * 86_400, "AHEAD", Action::Edited)).unwrap();
    }
    journal.expire(at(30).plus(hour * 20), hour * 20).unwrap();
    assert_eq!(ids(root.path(), Timestamp(0)).0.len(), 59);
    // And a process that starts while it is wrong.
    drop(journal);
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    journal.expire(at(900), Duration::ZERO).unwrap();
    assert_eq!(ids(root.path(), Timestamp(0)).0.len(), 59);
}

#[test]
fn segments_written_while_the_clock_was_ahead_expire_all_the_same() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    journal.record(&event(0, "A", Action::Edited)).unwrap();
    let segment = segments(root.path(), "events").unwrap().pop().unwrap();
    segment.touch(at(400)).unwrap();
    journal.record(&event(500 * 86_400, "B", Action::Edited)).unwrap();
    for day in 0..60 {
        journal.expire(at(day), DAY * day).unwrap();
    }
    assert!(!segment.path.exists());
}

/// A year ahead, then back: the journal goes on as before.
#[test]
fn a_clock_a_year_ahead_and_back_makes_no_file_an_event_and_loses_none() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    let year = 365 * 86_400;
    let mut written = Vec::new();
    for (round, base) in [0, year, 0, 2 * year, 0].into_iter().enumerate() {
        for number in 0..2_000 {
            let id = format!("R{round}N{number}");
            journal.record(&event(base + number / 100, &id, Action::Edited)).unwrap();
            written.push(id);
        }
    }
    assert_eq!(ids(root.path(), Timestamp(0)).0, written);
    assert!(segments(root.path(), "events").unwrap().len() <= 5);
    // The same for the next process.
    drop(journal);
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    for number in 0..1_000 {
        journal.record(&event(number, "AGAIN", Action::Edited)).unwrap();
    }
    assert!(segments(root.path(), "events").unwrap().len() <= 6);
}

#[test]
fn a_clock_that_goes_back_keeps_every_event() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    for (second, id) in [(1_000_000, "A"), (0, "B"), (1, "C"), (1_000_001, "D")] {
        journal.record(&event(second, id, Action::Edited)).unwrap();
    }
    assert_eq!(ids(root.path(), Timestamp(0)).0, ["A", "B", "C", "D"]);
}

#[test]
fn other_files_and_newer_events_are_ignored() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("events-x.jsonl"), "no").unwrap();
    fs::write(root.path().join("README"), "no").unwrap();
    let newer = event(0, "A", Action::Edited);
    let newer = Event { v: SCHEMA_VERSION + 1, ..newer }.to_line();
    fs::write(root.path().join("events-000000000001.jsonl"), newer + "\n{}\n").unwrap();
    let (found, summary) = ids(root.path(), Timestamp(0));
    assert!(found.is_empty());
    assert_eq!((summary.newer, summary.damaged), (1, 1));
    assert_eq!(
        summary.unread_note().unwrap(),
        "1 event of the journal that may match is of a newer version of linkmilter: not read; \
         1 line of the journal cannot be read"
    );
    let note = ReadSummary::default().not_found_note("no message X", Path::new("/j"));
    assert_eq!(note, "no message X: the journal /j has no event yet");
}

/// Hourly checks of a daemon that runs for some hours from each of these hours on.
fn runs(directory: &Path, hours: u32, starts: impl IntoIterator<Item = u32>) {
    for start in starts {
        let mut journal = EventJournal::open(directory, JournalBounds::default()).unwrap();
        for hour in 0..=hours {
            let now = at(0).plus(DAY / 24 * (start + hour));
            journal.expire(now, DAY / 24 * hour).unwrap();
        }
    }
}

/// The day of the oldest event that is left.
fn oldest(directory: &Path) -> Option<u64> {
    Some(ids(directory, Timestamp(0)).0.first()?.parse().unwrap())
}

#[test]
fn a_daemon_that_is_started_daily_removes_what_is_old() {
    // Every morning, after a night without mail.
    let root = tempfile::tempdir().unwrap();
    drop(forty_days(root.path()));
    runs(root.path(), 23, (41..45).map(|day| 24 * day));
    assert_eq!(oldest(root.path()), Some(15), "the last check was at the end of day 44");
}

#[test]
fn a_machine_that_is_often_off_removes_what_is_old() {
    // Eight hours a day; and five hours once a week.
    for (hours, every, rounds) in [(8, 24, 5), (5, 168, 6)] {
        let root = tempfile::tempdir().unwrap();
        drop(forty_days(root.path()));
        runs(root.path(), hours, (0..rounds).map(|round| 41 * 24 + every * round));
        assert!(oldest(root.path()).is_none_or(|day| day > 10), "{hours} of {every} hours");
    }
}

#[test]
fn a_start_under_a_clock_ahead_costs_nothing() {
    let root = tempfile::tempdir().unwrap();
    drop(forty_days(root.path()));
    runs(root.path(), 30, [40 * 24]);
    let kept = ids(root.path(), Timestamp(0)).0;
    // A year ahead for some starts, then set right.
    runs(root.path(), 3, [400 * 24, 400 * 24 + 4, 400 * 24 + 8]);
    runs(root.path(), 1, [41 * 24 + 18]);
    assert_eq!(ids(root.path(), Timestamp(0)).0, kept);
}

#[test]
fn an_incomplete_clock_check_is_ignored() {
    let root = tempfile::tempdir().unwrap();
    drop(forty_days(root.path()));
    for text in ["", "2026", "2026-01-01T00:00:00.000Z 0", "x 0\n", "2026-01-01T00:00:00.000Z -1\n"]
    {
        fs::write(root.path().join("looked"), text).unwrap();
        let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
        journal.expire(at(400), Duration::ZERO).unwrap();
        assert_eq!(ids(root.path(), Timestamp(0)).0.len(), 40, "{text:?}");
    }
}

#[test]
fn events_that_may_match_are_counted() {
    let root = tempfile::tempdir().unwrap();
    let mut journal = EventJournal::open(root.path(), JournalBounds::default()).unwrap();
    let many = Event {
        recipients: vec!["example.net".to_owned()],
        recipients_omitted: 3,
        ..event(0, "MANY", Action::Edited)
    };
    journal.record(&many).unwrap();
    let few =
        Event { recipients: vec!["example.net".to_owned()], ..event(0, "FEW", Action::Edited) };
    journal.record(&few).unwrap();
    for (domain, expected, maybe) in
        [("example.net", 2, 0), ("example.com", 0, 1), ("net", 2, 0), ("ample.net", 0, 1)]
    {
        let mut found = 0;
        let query = Query { recipient: Some(domain), ..Query::default() };
        let summary = read(root.path(), query, |_| found += 1).unwrap();
        assert_eq!((found, summary.maybe), (expected, maybe), "{domain}");
    }
    // Neither matches the rest of the query.
    let query = Query { recipient: Some("example.com"), queue_id: Some("FEW"), ..Query::default() };
    assert_eq!(read(root.path(), query, |_| ()).unwrap().maybe, 0);
}
