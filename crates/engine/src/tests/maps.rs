use crate::Dmarc;
use crate::outcome::{Reason, Verdict};
use crate::tests::to_harbour;

fn differs(page: &str) -> Verdict {
    let outcome = to_harbour("a@evil.top", "text/html", page, Dmarc::Unknown);
    let found = outcome.findings.iter();
    let differs = found.filter(|one| one.reasons.contains(Reason::TextHrefMismatch));
    differs.map(|one| one.verdict).max().unwrap_or_default()
}

#[test]
fn pictures_of_maps_are_compared() {
    let img = "<img usemap=\"#M\" src=x alt=\"https://www.paypal.com/signin\">";
    let titled = img.replace("alt", "title");
    let map = |areas: &str| format!("<map name=m>{areas}</map>");
    let [all, small] = ["0,0,600,400", "0,0,20,20"];
    let area = |coords: &str, to: &str| {
        format!("<area shape=rect coords=\"{coords}\" href=\"https://{to}/x\">")
    };
    let evil = area(all, "verify.top");
    let both = |first: &str, second: &str| format!("{first}{second}");
    let beside = |areas: [&str; 2]| map(&areas.concat());
    let [own, own_small] = [all, small].map(|coords| area(coords, "www.paypal.com"));
    for page in [
        both(img, &map(&evil)),
        both(&map(&evil), img),
        both(&titled, &map(&evil)),
        both(img, &map(&evil.replace("coords", "x"))),
        // One that nobody hits says nothing.
        both(img, &beside([&evil, &own_small])),
    ] {
        assert_eq!(differs(&page), Verdict::Suspect, "{page}");
    }
    for page in [
        both(img, &map(&own)),
        both(img, &beside([&own, &area(small, "verify.top")])),
        both(img, &map(&evil).replace("=m", "=n")),
        both(img, &map(&evil.replace("shape", "alt=\"Log in\" shape"))),
        both(&img.replace("https://www.paypal.com/signin", "PayPal"), &map(&evil)),
    ] {
        assert_eq!(differs(&page), Verdict::Ok, "{page}");
    }
    let decoys = beside([&area(small, "fine.top").repeat(16), &evil]);
    assert_eq!(differs(&both(img, &decoys)), Verdict::Suspect);
}
