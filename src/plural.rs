//! Counts in words: one link, two links.

/// The count with its noun, which is given in the singular: `1 link`, `2 links`, `0 entries`.
pub fn counted(count: impl TryInto<u64>, singular: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", noun(count, singular))
}

/// The noun for a count: `link`, `links`; `entry`, `entries`.
pub fn noun(count: u64, singular: &str) -> String {
    let stem = singular.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        _ if count == 1 => singular.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None => format!("{singular}s"),
    }
}

/// The verb for a count: `was` or `were`, `has` or `have`.
pub fn verb<'w>(count: u64, singular: &'w str, plural: &'w str) -> &'w str {
    if count == 1 { singular } else { plural }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        for (count, singular, expected) in [
            (0, "link", "0 links"),
            (1, "link", "1 link"),
            (2, "more domain", "2 more domains"),
            (1, "unsafe entry", "1 unsafe entry"),
            (3, "unsafe entry", "3 unsafe entries"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(counted(count, singular), expected);
        }
        assert_eq!((verb(1, "was", "were"), verb(0, "was", "were")), ("was", "were"));
    }
}
