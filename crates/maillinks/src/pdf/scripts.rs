//! Scripts of a PDF: their URLs are read as those of a page's scripts are. No script is run.

use std::collections::BTreeSet;

use crate::file_servers::file_server;
use crate::{MappedText, script};

/// Scripts as a page has them.
pub fn page(scripts: &BTreeSet<String>) -> String {
    let mut page = String::new();
    for script in scripts {
        page.push_str("<p onclick=\"");
        uts58::html::escape(script, &mut page);
        page.push_str("\">");
    }
    page
}

/// The strings of a script that are paths or URLs of file servers.
pub fn servers(script: &str) -> impl Iterator<Item = String> {
    script.split(['"', '\'', '`']).filter_map(|string| {
        if !string.starts_with("\\\\") && !string.contains(':') {
            return None;
        }
        let path = script::unescaped(MappedText::slice(string, 0));
        let is_outside = file_server(path.as_str()).is_some_and(|server| server.contains('.'));
        is_outside.then(|| path.as_str().to_owned())
    })
}
