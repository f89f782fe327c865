//! The example file of the configuration, `conf/linkmilter.toml`.

use linkmilter::config::{self, Chapter, Key};

/// The example file: every section and key with its documentation. Every value is commented out, so
/// that an unchanged file follows the built-in values of later versions.
pub fn example() -> String {
    let mut out = String::from(EXAMPLE_HEAD);
    for Chapter { name, about, keys } in config::reference() {
        out.push('\n');
        comment(&mut out, about);
        out += &format!("{}[{name}]\n", if name.ends_with(".NAME") { "# " } else { "" });
        for key in keys {
            out.push('\n');
            example_key(&mut out, key);
        }
    }
    out
}

const EXAMPLE_HEAD: &str = "\
# linkmilter: configuration.
#
# Every value here is the built-in one: remove the `#` in front of a line to change it.
# Layers, later ones win: built-in, this file, conf.d/*.toml in the same directory, the environment
# (LINKMILTER_DNS__MODE is dns.mode), command-line options. Tables are merged key by key, lists
# are replaced. `linkmilter config check` reports everything that is wrong, `linkmilter config print`
# shows the settings in force and their origins. SIGHUP reloads; a file with an error changes nothing.
# Units of time: ms s m h d. Units of size: B kB KiB MB MiB GB GiB, or a number of bytes.
";

fn example_key(out: &mut String, key: &Key) {
    comment(out, key.doc);
    comment(out, &[&format!(" {}", key.takes())]);
    let default = if key.default.is_empty() { "…" } else { key.default };
    *out += &format!("#{} = {default}\n", key.name);
}

/// Comment lines of at most 100 characters.
fn comment(out: &mut String, lines: &[&str]) {
    const WIDTH: usize = 100;
    for line in lines {
        let mut width = 1;
        out.push('#');
        for word in line.split_whitespace() {
            if width + 1 + word.chars().count() > WIDTH {
                out.push_str("\n#  ");
                width = 3;
            }
            out.push(' ');
            out.push_str(word);
            width += 1 + word.chars().count();
        }
        out.push('\n');
    }
}
