//! Points in time as RFC 3339 text in UTC. Callers pass the clock.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const DAY: u64 = 86_400;

/// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds. Written `2026-11-21T09:00:35.123Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(time.0)
    }
}

impl Timestamp {
    /// The time of a clock; a time before 1970 counts as 1970.
    pub fn of(clock: SystemTime) -> Timestamp {
        let since = clock.duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// Whole seconds since 1970.
    pub fn seconds(self) -> u64 {
        self.0 / 1_000
    }

    /// Later by this span.
    pub fn plus(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The time between two moments, in whichever order.
    pub fn apart(self, other: Timestamp) -> Duration {
        Duration::from_millis(self.0.abs_diff(other.0))
    }

    /// Earlier by this span, but not before 1970.
    #[must_use]
    pub fn minus(self, span: Duration) -> Timestamp {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Timestamp(self.0.saturating_sub(millis))
    }

    /// Date and minute for people: `2026-11-21 09:00 UTC`.
    pub fn minute(self) -> String {
        self.civil().strftime("%Y-%m-%d %H:%M UTC").to_string()
    }

    /// Parses what [`fmt::Display`] writes; the fraction may be absent. `None` also for a day that the calendar does not
    /// have.
    pub fn parse(text: &str) -> Option<Timestamp> {
        const SECOND: &str = "%Y-%m-%dT%H:%M:%S";
        let text = text.strip_suffix('Z')?;
        let (second, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let civil = DateTime::strptime(SECOND, second).ok()?;
        // The parser also takes signs, missing zeros and leap seconds. Those are written back differently.
        let same = civil.strftime(SECOND).to_string() == second;
        let digits =
            (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
        if !same || !digits {
            return None;
        }
        let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
        let seconds = u64::try_from(Offset::UTC.to_timestamp(civil).ok()?.as_second()).ok()?;
        Some(Timestamp(seconds * 1_000 + millis))
    }

    /// The day and time in UTC. A time beyond the calendar becomes its last moment.
    fn civil(self) -> DateTime {
        let millis = i64::try_from(self.0).unwrap_or(i64::MAX);
        let point = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
        Offset::UTC.to_datetime(point)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.civil().strftime("%Y-%m-%dT%H:%M:%S%.3fZ"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        Timestamp::parse(&text).ok_or_else(|| {
            de::Error::custom(format_args!(
                "expected a time such as 2026-11-21T09:00:35.123Z, found {text:?}"
            ))
        })
    }
}

/// Parses a span of time: a number and a unit of `s`, `m`, `h`, `d` or `w`.
///
/// # Errors
/// Says what was expected and what was found.
pub fn parse_span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a number with s, m, h, d or w, such as 24h; found {text:?}");
    let unit = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3_600,
        Some('d') => DAY,
        Some('w') => 7 * DAY,
        _ => return Err(wrong()),
    };
    let number = text.get(..text.len() - 1).unwrap_or_default();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_points() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_763_715_635_123, "2025-11-21T09:00:35.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(millis).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp(millis)));
        }
        assert_eq!(Timestamp::parse("2025-11-21T09:00:35Z"), Some(Timestamp(1_763_715_635_000)));
        assert_eq!(Timestamp::parse("2025-11-21T09:00:35.5Z"), Some(Timestamp(1_763_715_635_500)));
    }

    #[test]
    fn malformed_points_are_none() {
        for text in [
            "",
            "Z",
            "2025-11-21",
            "2025-13-01T00:00:00Z",
            "2025-11-21T24:00:00Z",
            "2025-11-21T09:00:35+00:00",
            "2025-1-1-1T0:0:0Z",
            "+025-01-01T00:00:00Z",
            "2025-01-01T00:00:00.é0Z",
            "2025-01-01T00:00:00.Z",
            "2025-01-01T0:00:00Z",
            "2025-01-01 00:00:00Z",
            // No such days, and no such second.
            "2026-02-31T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2016-12-31T23:59:60Z",
            "1969-12-31T23:59:59Z",
            "10000-01-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_beyond_the_calendar_is_its_end() {
        assert_eq!(Timestamp(u64::MAX).to_string(), "9999-12-30T22:00:00.999Z");
        assert_eq!(Timestamp(u64::MAX).minute(), "9999-12-30 22:00 UTC");
    }

    #[test]
    fn spans() {
        assert_eq!(parse_span("24h"), Ok(Duration::from_secs(86_400)));
        assert_eq!(parse_span("2w"), Ok(Duration::from_secs(1_209_600)));
        for text in ["", "h", "24", "-1h", "1.5h", "24ḧ", "99999999999999999999w"] {
            assert!(parse_span(text).is_err_and(|error| error.contains("found")), "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_and_back(millis in 0u64..253_402_207_200_000) {
            prop_assert_eq!(Timestamp::parse(&Timestamp(millis).to_string()), Some(Timestamp(millis)));
        }

        #[test]
        fn any_text_is_read_without_a_fault(text in "\\PC{0,40}") {
            if let Some(point) = Timestamp::parse(&text) {
                prop_assert!(point.seconds() < 253_402_300_800 + 3 * DAY);
            }
        }
    }
}
