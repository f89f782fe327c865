//! Enums whose values are words.

/// Declares an enum with the word of each variant, which is the same wherever it is written.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$about])* $variant,)+ }

        impl $name {
            /// All values, in their order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// Its word in the configuration, the log, metrics and JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }
        }
    };
}
