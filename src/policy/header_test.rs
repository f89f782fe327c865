//! Conditions of rules on trusted header fields, such as `X-Spam-Flag: YES` or `X-Spam-Score: >= 5`.

use std::fmt;
use std::str::FromStr;

use super::auth;
use super::upstream::{RESULTS, SEALED_RESULTS, TrustedField};

/// A condition on a trusted field: `X-Spam-Flag: YES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderTest {
    name: String,
    expected: Expected,
    /// As the operator wrote it.
    text: String,
}

/// What the value must be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expected {
    /// This text, compared without case.
    Exact(String),
    /// `Yes*`: a text that starts so, compared without case.
    Prefix(String),
    /// `*****`: so many characters, or more.
    Level(i64),
    /// `>= 5`, `score >= 5`: a number in thousandths. It follows the word and `=`, or it is the first number.
    Number { of: Option<String>, comparison: Comparison, limit: i64 },
    /// A symbol that rspamd gave the message.
    Symbol(String),
    /// `dmarc=fail`: an authentication method and its result.
    Result { method: String, result: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    Above,
    AtMost,
    Below,
}

/// Why a text is no condition on a header field. Messages say what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderTestError {
    #[error("a header field and its value, \"X-Spam-Flag: YES\"")]
    Form,
    #[error("another field than Received: that one decides which fields are trusted")]
    Received,
    #[error("a number after the comparison, \"X-Spam-Score: >= 5.5\"")]
    Number,
    #[error("a method and its result, \"Authentication-Results: dmarc=fail\"")]
    Result,
}

/// The field in which rspamd lists its symbols.
const SYMBOLS: &str = "x-spamd-result";

impl HeaderTest {
    /// Name of the field, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it checks a result of authentication, which needs our authserv-id.
    pub fn checks_results(&self) -> bool {
        matches!(self.expected, Expected::Result { .. })
    }

    /// Whether one of the fields has the expected value. Further fields of this name do not matter.
    pub fn holds(&self, fields: &[TrustedField]) -> bool {
        fields.iter().any(|field| field.name == self.name && self.matches(&field.value))
    }

    fn matches(&self, value: &str) -> bool {
        match &self.expected {
            Expected::Exact(text) => value.eq_ignore_ascii_case(text),
            Expected::Prefix(prefix) => {
                let start = value.get(..prefix.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            }
            Expected::Level(least) => level(value).is_some_and(|level| level >= *least),
            Expected::Number { of, comparison, limit } => {
                let number = match (self.name.as_str(), of) {
                    (SYMBOLS, None) => total_score(value),
                    (SYMBOLS, Some(symbol)) => score_of(value, symbol),
                    (_, Some(word)) => number_after(value, word),
                    (_, None) => level(value)
                        .map(|level| level.saturating_mul(1000))
                        .or_else(|| words(value).find_map(thousandths)),
                };
                number.is_some_and(|number| comparison.holds(number, *limit))
            }
            Expected::Symbol(symbol) => symbols(value).any(|(name, _)| name == symbol),
            Expected::Result { method, result } => auth::has_result(value, method, result),
        }
    }
}

impl Comparison {
    fn holds(self, number: i64, limit: i64) -> bool {
        match self {
            Comparison::AtLeast => number >= limit,
            Comparison::Above => number > limit,
            Comparison::AtMost => number <= limit,
            Comparison::Below => number < limit,
        }
    }
}

impl FromStr for HeaderTest {
    type Err = HeaderTestError;

    fn from_str(text: &str) -> Result<HeaderTest, HeaderTestError> {
        let (name, value) = text.split_once(':').ok_or(HeaderTestError::Form)?;
        let (name, value) = (name.trim(), value.trim());
        let graphic = name.bytes().all(|byte| byte.is_ascii_graphic());
        if name.is_empty() || !graphic || value.is_empty() || value.contains(char::is_control) {
            return Err(HeaderTestError::Form);
        }
        let name = name.to_ascii_lowercase();
        if name == "received" {
            return Err(HeaderTestError::Received);
        }
        let expected = expected(&name, value)?;
        Ok(HeaderTest { name, expected, text: text.trim().to_owned() })
    }
}

impl fmt::Display for HeaderTest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

fn expected(name: &str, value: &str) -> Result<Expected, HeaderTestError> {
    if matches!(name, RESULTS | SEALED_RESULTS) {
        let (method, result) = value.split_once('=').ok_or(HeaderTestError::Result)?;
        let (method, result) = (method.trim(), result.trim());
        let word = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        if !word(method) || !word(result) {
            return Err(HeaderTestError::Result);
        }
        return Ok(Expected::Result { method: method.to_owned(), result: result.to_owned() });
    }
    if let Some(at) = value.find(['<', '>']) {
        let (of, condition) = value.split_at(at);
        let comparisons = [
            (">=", Comparison::AtLeast),
            ("<=", Comparison::AtMost),
            (">", Comparison::Above),
            ("<", Comparison::Below),
        ];
        let found = comparisons
            .into_iter()
            .find_map(|(sign, comparison)| Some((comparison, condition.strip_prefix(sign)?)));
        let (comparison, number) = found.ok_or(HeaderTestError::Number)?;
        let limit = thousandths(number.trim()).ok_or(HeaderTestError::Number)?;
        let of = Some(of.trim().to_owned()).filter(|of| !of.is_empty());
        return Ok(Expected::Number { of, comparison, limit });
    }
    if let Some(level) = level(value).filter(|level| *level > 0) {
        return Ok(Expected::Level(level));
    }
    if let Some(prefix) = value.strip_suffix('*') {
        return Ok(Expected::Prefix(prefix.to_owned()));
    }
    Ok(match name == SYMBOLS && !value.contains(char::is_whitespace) {
        true => Expected::Symbol(value.to_owned()),
        false => Expected::Exact(value.to_owned()),
    })
}

/// `*****` and `+++++` are 5, `---` is -3, `/` is 0: bars of spam filters.
fn level(value: &str) -> Option<i64> {
    let mut bytes = value.bytes();
    let first = bytes.next()?;
    if !bytes.all(|byte| byte == first) {
        return None;
    }
    let length = i64::try_from(value.len()).unwrap_or(i64::MAX / 1000);
    match first {
        b'*' | b'+' => Some(length),
        b'-' => Some(-length),
        b'/' => Some(0),
        _ => None,
    }
}

/// A decimal number in thousandths; further digits are cut off.
fn thousandths(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(rest) {
        return None;
    }
    let fraction = rest
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let whole = whole.parse::<i64>().unwrap_or(i64::MAX).saturating_mul(1000);
    Some(whole.saturating_add(fraction).saturating_mul(sign))
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split([' ', '\t', ',', ';', '=', '/', '(', ')', '[', ']']).filter(|word| !word.is_empty())
}

fn number_after(value: &str, word: &str) -> Option<i64> {
    let pairs = value.split([' ', '\t', ',', ';']).filter_map(|pair| pair.split_once('='));
    let mut numbers = pairs.filter(|(name, _)| name.eq_ignore_ascii_case(word));
    numbers.find_map(|(_, number)| thousandths(number))
}

/// The score of `default: False [1.50 / 15.00]; …`.
fn total_score(value: &str) -> Option<i64> {
    let (_, rest) = value.split(';').next()?.split_once('[')?;
    thousandths(rest.split('/').next()?.trim())
}

/// The symbols of rspamd, each with the text in its parentheses. The text in the brackets after them comes from the
/// message: whatever it holds is skipped.
fn symbols(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (entry, after) = rest.split_at(rest.find([';', '[']).unwrap_or(rest.len()));
            let after = match after.strip_prefix('[') {
                Some(options) => options.split_once(']').map_or("", |(_, after)| after),
                None => after,
            };
            rest = after.split_once(';').map_or("", |(_, rest)| rest);
            let symbol = entry.trim_start().split_once('(');
            let symbol = symbol.and_then(|(name, rest)| Some((name, rest.split_once(')')?.0)));
            if symbol.is_some() {
                return symbol;
            }
        }
        None
    })
}

fn score_of(value: &str, symbol: &str) -> Option<i64> {
    symbols(value).find(|(name, _)| *name == symbol).and_then(|(_, score)| thousandths(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAMD: &str = "default: True [17.20 / 15.00]; BAYES_SPAM(5.10)[99.99%]; \
        R_DKIM_ALLOW(-0.20)[example.com:s=a; FORGED(9.00)x]; ONCE_RECEIVED(0.10)[]";

    fn fits(test: &str, value: &str) -> bool {
        let test: HeaderTest = test.parse().unwrap();
        let fields = [TrustedField { name: test.name.clone(), value: value.to_owned() }];
        test.holds(&fields)
    }

    #[test]
    fn values_are_compared_as_spam_filters_write_them() {
        for (test, value, expected) in [
            ("X-Spam-Flag: YES", "YES", true),
            ("x-spam-flag:yes", "Yes", true),
            ("X-Spam-Flag: YES", "YES or NO", false),
            ("X-Spam-Flag: YES", "NO", false),
            ("X-Spam-Status: Yes*", "Yes, score=7.3 required=5.0 tests=[BAYES_99=5]", true),
            ("X-Spam-Status: Yes*", "No, score=1", false),
            ("X-Spam-Status: score >= 7.3", "Yes, score=7.3 required=5.0", true),
            ("X-Spam-Status: score >= 7.31", "Yes, score=7.3 required=50", false),
            ("X-Spam-Status: score < 0", "No, score=-0.1 required=5.0", true),
            ("X-Spam-Score: >= 5", "5", true),
            ("X-Spam-Score: >= 5", "4.999", false),
            ("X-Spam-Score: > 5", "5.000", false),
            ("X-Spam-Score: <= -1.5", "-1.5", true),
            ("X-Spam-Score: >= 15", "15.2 (+++++++++++++++)", true),
            ("X-Spam-Score: >= 5", "99999999999999999999999", true),
            ("X-Spam-Score: >= 5", "high", false),
            ("X-Spam-Level: *****", "*****", true),
            ("X-Spam-Level: *****", "*******", true),
            ("X-Spam-Level: *****", "****", false),
            ("X-Spam-Level: *****", "*****x", false),
            ("X-Spam-Level: >= 5", "*****", true),
            ("X-Spamd-Bar: +++", "++++", true),
            ("X-Spamd-Bar: +++", "---", false),
            ("X-Spamd-Bar: < 0", "---", true),
            ("X-Spamd-Bar: < 0", "/", false),
            ("X-Spamd-Result: BAYES_SPAM", SPAMD, true),
            ("X-Spamd-Result: BAYES", SPAMD, false),
            ("X-Spamd-Result: FORGED", SPAMD, false),
            ("X-Spamd-Result: FORGED >= 1", SPAMD, false),
            ("X-Spamd-Result: ONCE_RECEIVED", SPAMD, true),
            (
                "X-Spamd-Result: Url-in.Suspicious_msg",
                "x: False [1 / 2]; Url-in.Suspicious_msg(1)",
                true,
            ),
            ("X-Spamd-Result: A", "x: False [1 / 2]; A(0)[a; B(1)", true),
            ("X-Spamd-Result: B", "x: False [1 / 2]; A(0)[a; B(1)", false),
            ("X-Spamd-Result: B", "x: False [1 / 2]; A; B(0); C(", true),
            ("X-Spamd-Result: C", "x: False [1 / 2]; A; B(0); C(", false),
            ("X-Spamd-Result: >= 17.2", SPAMD, true),
            ("X-Spamd-Result: > 17.2", SPAMD, false),
            ("X-Spamd-Result: BAYES_SPAM >= 5", SPAMD, true),
            ("X-Spamd-Result: BAYES_SPAM > 5.1", SPAMD, false),
            ("X-Spamd-Result: R_DKIM_ALLOW < 0", SPAMD, true),
            ("X-Rspamd-Action: add header", "add header", true),
            (
                "Authentication-Results: dmarc=fail",
                "mx.example.org; dmarc=fail header.from=x",
                true,
            ),
            ("Authentication-Results: dmarc=fail", "mx.example.org; spf=fail (dmarc=fail)", false),
            ("ARC-Authentication-Results: spf=softfail", "i=1; mx.example.org; spf=softfail", true),
        ] {
            assert_eq!(fits(test, value), expected, "{test} against {value}");
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        for (text, error) in [
            ("X-Spam-Flag", HeaderTestError::Form),
            ("X-Spam-Flag:", HeaderTestError::Form),
            (": YES", HeaderTestError::Form),
            ("X Spam: YES", HeaderTestError::Form),
            ("X-Spam-Score: >= five", HeaderTestError::Number),
            ("X-Spam-Score: >", HeaderTestError::Number),
            ("X-Spam-Score: >= 5 or so", HeaderTestError::Number),
            ("Authentication-Results: fail", HeaderTestError::Result),
            ("Authentication-Results: dmarc=", HeaderTestError::Result),
        ] {
            assert_eq!(text.parse::<HeaderTest>(), Err(error), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_condition_and_any_value_have_an_answer(
            test in "(X-Spam|X-Spamd-Result|Authentication-Results): [A-Z*+<>= .0-9-]{1,12}",
            value in "[ ;=()\\[\\]\"a-zA-Z0-9*+./\\PC-]{0,60}",
        ) {
            if let Ok(test) = test.parse::<HeaderTest>() {
                test.holds(&[TrustedField { name: test.name.clone(), value }]);
            }
        }
    }
}
