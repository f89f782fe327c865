//! Two hosts of one message of which one is made to be taken for the other, though neither is a known name.

use super::super::Judge;
use crate::judging::prices::TWIN_COMPARISON_STEPS;
use homograph::Judgement;

impl Judge<'_> {
    /// Whether two hosts of different owners read as one.
    pub fn are_twins(&self, one: &Judgement, other: &Judgement) -> bool {
        homograph::claims::are_twin_hosts(one, other)
            && !self.are_of_one_owner(&one.ascii, &other.ascii)
    }

    /// Whether a host is made to be taken for one that a text shows: its twin, one that begins like it, or its name
    /// beside words that ask.
    pub(super) fn poses_as(&mut self, led: &Judgement, seen: &Judgement) -> bool {
        self.steps += TWIN_COMPARISON_STEPS;
        // Beyond ASCII the text is the disguise, and judged as such.
        let protected = &self.policy.protected;
        seen.unicode.is_ascii() && homograph::claims::are_twin_hosts(led, seen)
            || homograph::claims::stands_in_front(&seen.ascii, &led.ascii, protected)
            || homograph::claims::asks_beside(&seen.ascii, &led.ascii, protected)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::mismatch;
    use crate::outcome::Verdict;

    #[test]
    fn what_reads_as_the_text_of_its_link_is_suspect() {
        for (seen, led) in [
            ("https://meridian-supplies.com/pay", "meridian-suppIies.com"),
            ("www.meridian-supplies.com", "rneridian-supplies.com"),
            ("https://meridian-supplies.com", "meridian-supplies.com.verify.top"),
            ("https://meridian-supplies.com", "meridian-supplies-login.com"),
        ] {
            assert_eq!(mismatch(seen, led), Some(Verdict::Suspect), "{seen} {led}");
        }
        assert_ne!(mismatch("p\u{332}aypal.com", "paypal.com"), Some(Verdict::Suspect));
        for (seen, led) in [
            ("https://meridian-supplies.com", "meridian-supply.com"),
            ("https://meridian-supplies.com", "meridiansupplies.com"),
            ("https://meridian-supplies.com", "meridian-supplies.de"),
            ("https://meridian-supplies.com", "meridian-supplies.com.edgekey.net"),
        ] {
            assert_eq!(mismatch(seen, led), Some(Verdict::Notice), "{seen} {led}");
        }
    }
}
