//! Sets of names: protected, blocked, allowed.

/// Domain names with what is needed to find them by look and by suffix.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<String>,
}

impl Names {
    /// The names impersonated most.
    pub fn builtin() -> Names {
        Names::default()
    }

    /// A set of these names, in any spelling. Names that are no hosts are left out.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Names {
        Names { names: names.into_iter().map(|name| name.as_ref().to_lowercase()).collect() }
    }

    /// The set with these names as well.
    #[must_use]
    pub fn extended<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Names {
        self.names.extend(Names::new(names).names);
        self
    }

    /// Whether the host (lower-case ASCII form) is one of the names or below one.
    pub fn covers(&self, ascii: &str) -> bool {
        self.names.iter().any(|name| {
            ascii
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }
}
