//! Judges hosts and says why: `cargo run -p homograph --example host раypal.com 例え.com`

use std::env;

use homograph::{Context, HostBounds, Names, RestrictionLevel, explain, judge};
use uts58::tlds::TldTable;

/// The verdict of a host, its reason codes, and an explanation in lines.
fn report(host: &str) -> String {
    // A real program reads the list of IANA: data.iana.org/TLD/tlds-alpha-by-domain.txt.
    let (protected, none, tlds) =
        (Names::builtin(), Names::default(), TldTable::new(["com", "org"], ""));
    let context = Context {
        level: RestrictionLevel::HighlyRestrictive,
        protected: &protected,
        own: &none,
        blocked: &none,
        tlds: &tlds,
        bounds: HostBounds::Certain,
    };
    let judgement = judge(host, &context);
    let codes: Vec<&str> = judgement.reasons.iter().map(|reason| reason.code()).collect();
    let mut lines = vec![format!("{host}: {} {}", judgement.verdict, codes.join(" "))];
    lines.extend(explain::host(&judgement).iter().map(|line| format!("  {line}")));
    lines.join("\n")
}

fn main() {
    for host in env::args().skip(1) {
        println!("{}", report(&host));
    }
}

#[test]
fn a_mimic_is_reported_with_the_name_that_it_reads_as() {
    let reported = report("раypal.com");
    assert!(reported.starts_with("раypal.com: unsafe "), "{reported}");
    assert!(reported.contains("paypal.com"), "{reported}");
    assert!(report("例え.com").starts_with("例え.com: ok "));
}
