//! What fuzzing found, made small: every file of `tests/data/fuzz/mime` is operated on without a fault.

use std::fs;
use std::path::Path;

use crate::surgery::operate;

#[test]
fn what_fuzzing_found() {
    let folder = std::env::var_os("LINKMILTER_FUZZED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz/mime"),
        Into::into,
    );
    let (mut cases, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let report = operate(&fs::read(&path).unwrap());
        wrong.extend(report.wrong.into_iter().map(|what| format!("{}: {what}", path.display())));
        cases += 1;
    }
    assert!(cases > 0);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
