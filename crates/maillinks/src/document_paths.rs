//! Paths as files of other programs have them: RTF in its fields, PDF in its actions.

use uts58::reference;
use uts58::scheme::{self, Does};

/// Extensions of files that Windows or another system runs.
const PROGRAMS: [&str; 27] = [
    "app", "appref-ms", "bat", "chm", "cmd", "com", "command", "cpl", "exe", "hta", "jar", "js",
    "jse", "lnk", "msc", "msi", "pif", "ps1", "reg", "scf", "scr", "sct", "sh", "url", "vbe",
    "vbs", "wsf",
];

/// The path of a file server, or the URL with a scheme that does more than lead to a page, as a link of a page has it.
/// `None` of anything else.
pub fn reaching(path: &str) -> Option<String> {
    let path = path.trim();
    if path.starts_with("\\\\") || path.starts_with("//") {
        let server = path.trim_start_matches(['\\', '/']);
        // Windows has these in front of the server: `\\?\UNC\server\share`.
        let server = ["?\\UNC\\", ".\\UNC\\"]
            .into_iter()
            .find_map(|prefix| {
                let (front, behind) = server.split_at_checked(prefix.len())?;
                front.replace('/', "\\").eq_ignore_ascii_case(prefix).then_some(behind)
            })
            .unwrap_or(server);
        return Some(["\\\\", server].concat());
    }
    let name = path.get(..reference::scheme(path)?)?;
    matches!(scheme::does(name), Some(Does::Dangerous | Does::Share)).then(|| path.to_owned())
}

/// Whether a path is that of a program that a system runs.
pub fn is_program(path: &str) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|(_, extension)| extension.trim());
    extension.is_some_and(|extension| {
        PROGRAMS.iter().any(|program| extension.eq_ignore_ascii_case(program))
    })
}

/// The last name of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_another_machine() {
        for (path, reached) in [
            (r"\\evil.top\s\x", r"\\evil.top\s\x"),
            ("//evil.top/s/x", r"\\evil.top/s/x"),
            (r"\\?\UNC\evil.top\s", r"\\evil.top\s"),
            ("//./unc/evil.top/s", r"\\evil.top/s"),
            ("file://evil.top/x", "file://evil.top/x"),
            ("search-ms:query=x", "search-ms:query=x"),
            ("javascript:x()", "javascript:x()"),
        ] {
            assert_eq!(reaching(path).as_deref(), Some(reached), "{path}");
        }
        for path in ["chapter2.pdf", "C:\\x\\y.pdf", "/C/x.pdf", "https://a.top/x", "..\\x.pdf", ""]
        {
            assert_eq!(reaching(path), None, "{path}");
        }
    }

    #[test]
    fn what_a_system_runs() {
        for path in ["cmd.exe", "C:\\windows\\system32\\CMD.EXE", "../x.HTA", "/s/run.command"] {
            assert!(is_program(path), "{path}");
        }
        for path in ["chapter.pdf", "exe", "a.exe/b.pdf", "movie.mp4", "", "x.docx"] {
            assert!(!is_program(path), "{path}");
        }
    }
}
