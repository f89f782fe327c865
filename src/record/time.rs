//! Points in time as RFC 3339 text in UTC. The clock itself is handed in.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
    /// The point in time of a clock reading; a clock before 1970 reads as 1970.
    pub fn of(clock: SystemTime) -> Timestamp {
        let since = clock.duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    /// Whole seconds since 1970.
    pub fn seconds(self) -> u64 {
        self.0 / 1_000
    }

    /// That much later.
    pub fn plus(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The time between two moments, whichever comes first.
    pub fn apart(self, other: Timestamp) -> Duration {
        Duration::from_millis(self.0.abs_diff(other.0))
    }

    /// Earlier by that much, not before 1970.
    #[must_use]
    pub fn minus(self, span: Duration) -> Timestamp {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Timestamp(self.0.saturating_sub(millis))
    }

    /// Date and minute for people: `2026-11-21 09:00 UTC`.
    pub fn minute(self) -> String {
        let Civil { year, month, day, hour, minute, .. } = self.civil();
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
    }

    /// Reads what [`fmt::Display`] writes; the fraction may be absent.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let [year, month, day] = fields(date, '-')?;
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let [hour, minute, second] = fields(clock, ':')?;
        let sound = (1970..10_000).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        if !sound || fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
        let days = days_from_civil(year, month, day);
        Some(Timestamp((days * DAY + hour * 3_600 + minute * 60 + second) * 1_000 + millis))
    }

    fn civil(self) -> Civil {
        let seconds = self.seconds();
        let (year, month, day) = civil_from_days(seconds / DAY);
        let clock = seconds % DAY;
        Civil {
            year,
            month,
            day,
            hour: clock / 3_600,
            minute: clock / 60 % 60,
            second: clock % 60,
            millis: self.0 % 1_000,
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Civil { year, month, day, hour, minute, second, millis } = self.civil();
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
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

/// Reads a span of time: a number and a unit of `s`, `m`, `h`, `d` or `w`.
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

struct Civil {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
    millis: u64,
}

/// Exactly three numbers between separators.
fn fields(text: &str, separator: char) -> Option<[u64; 3]> {
    let mut numbers = text.split(separator).map(|field| {
        let digits = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| field.parse::<u64>().ok()).flatten()
    });
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

/// Year, month and day of a day counted from 1970, in the proleptic Gregorian calendar: years
/// that begin in March put the leap day last, so month lengths follow one formula.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// The inverse of [`civil_from_days`] for years from 1970 on.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let era = year / 400;
    let year_of_era = year % 400;
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
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
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
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
        fn text_and_back(millis in 0u64..253_402_300_800_000) {
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
