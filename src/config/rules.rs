//! From the configuration to the policy: reads lists and keys, and sorts the rules.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine;
use crate::engine::host::Names;
use crate::engine::limits::Limits;
use crate::engine::outcome::Verdict;
use crate::engine::policy::{AskDomains, AskTlds, Banner, Wording};
use crate::engine::words::Words;
use crate::feed::blocklist::Blocklist;
use crate::fetch::Fetch;
use crate::file::{self, cannot_read};
use crate::policy::{
    Authenticated, Conditions, Exemptions, LocalMail, Network, Overrides, Pattern, Policies, Rule,
    Upstream,
};
use crate::tld::cache::CacheBounds;

use super::problem::{BUILTIN, Errors, Problem};
use super::schema::Section;
use super::sections::Lists;
use super::setting::TextSetting;
use super::types::ProtectedName;
use super::{Config, DnsMode, HostName, RuleSection, lists, words};

/// Size of the seal key in bytes.
const SEAL_KEY_BYTES: std::ops::RangeInclusive<usize> = 32..=4096;

/// What one generation of the configuration filters with.
#[derive(Clone, Debug)]
pub struct Settings {
    pub policies: Policies,
    /// Names to which lists of others do not apply: those of `outbound.local_domains`, and of the lists of protected and
    /// allowed names, each once.
    pub own_names: Arc<Vec<String>>,
    /// Block lists to query over DNS. Empty for a command of a user.
    pub blocklists: Vec<Blocklist>,
}

/// Whether files that only the daemon may read are required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrets {
    Needed,
    IfReadable,
}

/// What the files hold that the settings name.
struct FileContents {
    allowed: Vec<String>,
    protected: Vec<String>,
    blocked: Vec<String>,
    words: Words,
    seal_key: Option<Arc<[u8]>>,
    old_seal_keys: Vec<Arc<[u8]>>,
    blocklists: Vec<Blocklist>,
}

impl Config {
    /// Whether a layer sets this key.
    pub fn is_set(&self, key: &str) -> bool {
        self.effective.iter().any(|setting| setting.key == key && setting.origin != BUILTIN)
    }

    /// Reads the list files and the seal key, and prepares the rules.
    ///
    /// # Errors
    /// Everything that is wrong in those files, with file and line.
    pub fn settings(&self) -> Result<Settings, Errors> {
        self.settings_with(Secrets::Needed, None)
    }

    /// The settings of the daemon, which has a key of its own. It is used if outbound mail is
    /// restored and the operator has set no key. Without any key, mail from outside gets no banner:
    /// nothing would remove it from outbound mail.
    ///
    /// # Errors
    /// As for [`Config::settings`].
    pub fn daemon_settings(&self, daemon_key: Option<Arc<[u8]>>) -> Result<Settings, Errors> {
        if daemon_key.is_some() || self.policy.seal_key_file.is_some() {
            return self.settings_with(Secrets::Needed, daemon_key);
        }
        let mut unmarked = self.clone();
        unmarked.banner.external = false;
        unmarked.banner.first_contact = false;
        unmarked.settings_with(Secrets::Needed, None)
    }

    /// The settings for a command of a user. If only the daemon may read a key, nothing is sealed,
    /// which is no error.
    ///
    /// # Errors
    /// As for [`Config::settings`].
    pub fn user_settings(&self) -> Result<Settings, Errors> {
        self.settings_with(Secrets::IfReadable, None)
    }

    fn settings_with(
        &self,
        secrets: Secrets,
        daemon_key: Option<Arc<[u8]>>,
    ) -> Result<Settings, Errors> {
        let files = self.read_files(secrets)?;
        let own_names = self.own_names(&files);
        let own = self.outbound.local_domains.iter().map(|domain| &domain.0);
        let base = self.base_policy();
        // The policy has the built-in names already; a copy of them takes a millisecond.
        let mut protected = match self.lists.protected_builtin {
            true => Arc::clone(&base.protected),
            false => Arc::new(Names::nobody()),
        };
        if !files.protected.is_empty() {
            protected = Arc::new(Arc::unwrap_or_clone(protected).extended(files.protected));
        }
        let base = engine::Policy {
            lists: engine::lists::Lists {
                own: Arc::new(engine::lists::EntryHashes::of_names(own)),
                ..base.lists
            },
            words: Arc::new(files.words),
            allowed: Arc::new(hosts(files.allowed)),
            protected,
            blocked: Arc::new(hosts(files.blocked)),
            seal_key: files.seal_key.or(daemon_key.filter(|_| self.restores_outbound())),
            old_seal_keys: files.old_seal_keys,
            ..base
        };
        let policies =
            Policies::new(base, self.policy.profile, self.sorted_rules(), self.exemptions())
                .with_local_mail(self.local_mail())
                .with_upstream(self.upstream());
        let (own_names, blocklists) = (Arc::new(own_names), files.blocklists);
        Ok(Settings { policies, own_names, blocklists })
    }

    /// Reads every file that the settings name. The errors are those of all files.
    fn read_files(&self, secrets: Secrets) -> Result<FileContents, Errors> {
        let mut problems = Vec::new();
        let lists = &self.lists;
        let inline = |names: &[HostName]| names.iter().map(|name| name.0.clone()).collect();
        let mut names = |key, file, inline| self.names(key, file, inline, &mut problems);
        let allowed = names("lists.allowed_file", &lists.allowed_file, inline(&lists.allowed));
        let protected = lists.protected.iter().map(|name| name.0.clone()).collect();
        let protected = names("lists.protected_file", &lists.protected_file, protected);
        let blocked = names("lists.blocked_file", &lists.blocked_file, inline(&lists.blocked));
        let words = self.words(&mut problems);
        let policy = &self.policy;
        let mut key = |setting, file| self.seal_key(setting, file, secrets, &mut problems);
        let seal_key =
            policy.seal_key_file.as_ref().and_then(|file| key("policy.seal_key_file", file));
        let old = policy.seal_old_key_files.iter();
        let old_seal_keys = old.filter_map(|file| key("policy.seal_old_key_files", file)).collect();
        let blocklists = match secrets {
            Secrets::Needed => self.blocklists().unwrap_or_else(|Errors(more)| {
                problems.extend(more);
                Vec::new()
            }),
            Secrets::IfReadable => Vec::new(),
        };
        if !problems.is_empty() {
            return Err(Errors(problems));
        }
        Ok(FileContents { allowed, protected, blocked, words, seal_key, old_seal_keys, blocklists })
    }

    /// [`Settings::own_names`].
    fn own_names(&self, files: &FileContents) -> Vec<String> {
        let domains = self.outbound.local_domains.iter().map(|domain| domain.0.clone());
        let listed = files.protected.iter().chain(&files.allowed);
        let listed = listed.map(|name| name.trim_start_matches('=').to_owned());
        let mut names: Vec<String> = domains.chain(listed).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The path of a list or key file; relative paths begin at the directory of the configuration
    /// file.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }

    /// The path of a state file; relative paths begin at the state directory.
    pub fn in_state(&self, path: impl AsRef<Path>) -> PathBuf {
        self.server.state_dir.join(path)
    }

    /// The file that records which people have exchanged mail. Readable by the daemon only.
    pub fn contacts_file(&self) -> PathBuf {
        self.in_state("contacts")
    }

    /// Where the table of top-level domains is stored, readable by everybody on this host.
    pub fn tld_directory(&self) -> PathBuf {
        self.in_state("tld")
    }

    /// The file with the daemon's process id while it runs.
    pub fn pid_file(&self) -> PathBuf {
        self.in_state("linkmilter.pid")
    }

    /// How the table of TLDs is fetched.
    pub fn tld_fetch(&self) -> Fetch {
        let ca_file = self.tld.ca_file.as_ref().map(|path| self.resolve(path));
        Fetch { url: self.tld.url.0.clone(), timeout: self.tld.timeout, ca_file }
    }

    /// How many DNS answers are cached, and for how long.
    pub fn dns_cache(&self) -> CacheBounds {
        let dns = &self.dns;
        CacheBounds {
            entries: dns.cache_entries,
            positive: (dns.positive_min, dns.positive_max),
            negative: (dns.negative_min, dns.negative_max),
            failure: dns.failure,
        }
    }

    fn base_policy(&self) -> engine::Policy {
        let policy = &self.policy;
        let bytes = |size: super::Size| usize::try_from(size.0).unwrap_or(usize::MAX);
        engine::Policy {
            level: policy.level,
            link_actions: policy.actions.clone(),
            message_actions: policy.message_actions.clone(),
            signed: policy.signed,
            linkify: policy.linkify,
            notice: policy.notice,
            banner: self.banner(),
            html_attachments: policy.html_attachments,
            qr_codes: policy.qr_codes,
            subject_tag: policy.subject_tag.clone(),
            undo_header_bytes: Some(bytes(policy.undo_bytes)),
            on_error: policy.on_error,
            on_limit: policy.on_limit.0,
            on_exhausted: policy.on_exhausted.0,
            on_opaque: policy.on_opaque.0,
            on_ambiguous: policy.on_ambiguous,
            ask_tlds: match self.dns.mode {
                DnsMode::Always => AskTlds::Every,
                DnsMode::UnknownOnly | DnsMode::Never => AskTlds::Unknown,
            },
            ask_domains: match self.blocklists.is_empty() {
                true => AskDomains::No,
                false => AskDomains::OfLinks,
            },
            limits: Limits {
                depth: self.limits.depth,
                parts: self.limits.parts,
                header_bytes: bytes(self.limits.header_bytes),
                links: self.limits.links,
                questions: self.limits.questions,
                domains: self.limits.domains,
                steps_per_byte: self.limits.steps_per_byte,
                steps_base: self.limits.steps_base,
            },
            ..engine::Policy::default()
        }
    }

    fn sorted_rules(&self) -> Vec<Rule> {
        let mut sections: Vec<(&String, &RuleSection)> = self.rules.iter().collect();
        // The sort is stable: rules with the same priority stay sorted by name.
        sections.sort_by_key(|(_, section)| section.priority);
        sections.into_iter().map(|(name, section)| rule(name, section)).collect()
    }

    /// Rules without a condition: they apply to every message, which may be a mistake.
    pub fn rules_for_all_mail(&self) -> Vec<Problem> {
        let all = |name: &String, section| rule(name, section).conditions == Conditions::default();
        let rules = self.rules.iter().filter(|(name, section)| all(name, section));
        let said = "it has no condition and applies to every message";
        rules
            .map(|(name, _)| Problem::of_table(self, &format!("rules.{name}"), None, said))
            .collect()
    }

    /// Patterns and networks that are valid, and hardly what was meant.
    pub fn odd_conditions(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut note = |key: &str, said: String| found.push(Problem::plain(self, key, said));
        let exempt = &self.exempt;
        let mut patterns = vec![
            ("exempt.senders".to_owned(), &exempt.senders),
            ("exempt.report_only".to_owned(), &exempt.report_only),
        ];
        let mut networks = vec![
            ("exempt.networks".to_owned(), &exempt.networks),
            ("outbound.networks".to_owned(), &self.outbound.networks),
        ];
        for (name, rule) in &self.rules {
            patterns.push((format!("rules.{name}.senders"), &rule.senders));
            patterns.push((format!("rules.{name}.recipients"), &rule.recipients));
            networks.push((format!("rules.{name}.networks"), &rule.networks));
        }
        for (key, patterns) in patterns {
            for domain in patterns.iter().filter_map(Pattern::wildcard_at) {
                note(
                    &key,
                    format!(
                        "*@{domain} is one address, of a user *: {domain} stands for all at it"
                    ),
                );
            }
        }
        for (key, networks) in networks {
            if networks.iter().any(Network::is_everything) {
                note(&key, "a network of prefix /0 is every client".to_owned());
            }
        }
        found
    }

    /// Settings of rules, and actions, that have no effect.
    pub fn vain_rules(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut note =
            |key: &str, said: &str| found.push(Problem::plain(self, key, said.to_owned()));
        for (name, rule) in &self.rules {
            if rule.authenticated == Some(true) && self.exempt.authenticated {
                note(
                    &format!("rules.{name}.authenticated"),
                    "mail of clients that authenticated is exempt, whatever the rule says, unless \
                     exempt.authenticated = false",
                );
            }
        }
        let of_rules = self.rules.iter().map(|(name, rule)| (format!("rules.{name}"), rule));
        let of_rules = of_rules.map(|(section, rule)| (section, &rule.message_actions));
        let all = [("policy".to_owned(), &self.policy.message_actions)].into_iter().chain(of_rules);
        for (section, actions) in all {
            if actions.by_verdict.contains_key(&Verdict::Ok) {
                note(
                    &format!("{section}.message_actions.ok"),
                    "a message without a finding is delivered as it is: this has no effect",
                );
            }
        }
        found
    }

    fn exemptions(&self) -> Exemptions {
        let exempt = &self.exempt;
        Exemptions {
            authenticated: if exempt.authenticated {
                Authenticated::Exempt
            } else {
                Authenticated::Judged
            },
            networks: exempt.networks.clone(),
            senders: exempt.senders.clone(),
            authserv_id: exempt.authserv_id.clone(),
            report_only: exempt.report_only.clone(),
        }
    }

    fn banner(&self) -> Banner {
        let wording = |asked: bool, own: &Option<String>| {
            asked.then(|| own.clone().map_or(Wording::BuiltIn, Wording::Own))
        };
        let banner = &self.banner;
        Banner {
            links: wording(banner.links, &banner.links_text),
            external: wording(banner.external, &banner.external_text),
            first_contact: wording(banner.first_contact, &banner.first_contact_text),
        }
    }

    /// Whether the edits in outbound mail are undone.
    pub fn restores_outbound(&self) -> bool {
        self.outbound.restore && !self.outbound.local_domains.is_empty()
    }

    fn local_mail(&self) -> LocalMail {
        let outbound = &self.outbound;
        let domains = outbound.local_domains.iter();
        LocalMail {
            domains: domains.map(|domain| Pattern::Domain(domain.0.clone())).collect(),
            networks: outbound.networks.clone(),
        }
    }

    fn upstream(&self) -> Upstream {
        Upstream {
            trust: self.upstream.fields,
            hosts: self.upstream.hosts.iter().map(|host| host.0.clone()).collect(),
            authserv_id: self.exempt.authserv_id.clone(),
        }
    }

    /// The names of a list: those of its file, which must exist if it was set, and those in the
    /// configuration itself.
    fn names(
        &self,
        key: &str,
        file: &Path,
        inline: Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Vec<String> {
        let mut names = inline;
        let path = self.resolve(file);
        // Whoever writes the built-in value down wants what it does: such a file need not exist.
        let builtin = Lists::KEYS.iter().find(|of| key.strip_prefix("lists.") == Some(of.name));
        let setting = self.effective.iter().find(|setting| setting.key == key);
        let is_set = setting.is_some_and(|setting| {
            setting.origin != BUILTIN && builtin.is_none_or(|of| of.default != setting.value)
        });
        let expected = match key {
            "lists.protected_file" => ProtectedName::EXPECTED,
            _ => HostName::EXPECTED,
        };
        match self.files.list(&path) {
            Ok(text) => names.extend(lists::parse_names(&path, &text, expected, problems)),
            Err(error) if error.kind() == ErrorKind::NotFound && !is_set => {}
            Err(error) => {
                let said = cannot_read(path.display(), &error);
                problems.push(Problem::plain(self, key, said));
            }
        }
        names
    }

    /// The operator's own wording of notices and banners.
    fn words(&self, problems: &mut Vec<Problem>) -> Words {
        let Some(file) = &self.policy.words_file else { return Words::default() };
        let path = self.resolve(file);
        match self.files.read(&path).and_then(file::into_text) {
            Ok(text) => words::parse(&path, &text, problems),
            Err(error) => {
                let said = cannot_read(path.display(), &error);
                problems.push(Problem::plain(self, "policy.words_file", said));
                Words::default()
            }
        }
    }

    fn seal_key(
        &self,
        setting: &str,
        file: &Path,
        secrets: Secrets,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<[u8]>> {
        let path = self.resolve(file);
        let problem = |found: String| {
            let (min, max) = SEAL_KEY_BYTES.into_inner();
            let expected = format!("a file of {min} to {max} bytes at {}", path.display());
            Problem { found, ..Problem::of_setting(self, setting, &*expected) }
        };
        match self.files.read(&path) {
            Ok(key) if SEAL_KEY_BYTES.contains(&key.len()) => Some(key.into()),
            Err(error)
                if secrets == Secrets::IfReadable
                    && error.kind() == ErrorKind::PermissionDenied =>
            {
                None
            }
            Ok(key) => {
                problems.push(problem(format!("{} bytes", key.len())));
                None
            }
            Err(error) => {
                problems.push(problem(error.to_string()));
                None
            }
        }
    }
}

/// A set that covers these. `=name` is of lists of protected names: here it is the name.
fn hosts(names: Vec<String>) -> Names {
    Names::of_hosts(names.iter().map(|name| name.trim_start_matches('=')))
}

fn rule(name: &str, section: &RuleSection) -> Rule {
    let names = |list: &[HostName]| list.iter().map(|name| name.0.clone()).collect();
    Rule {
        name: name.to_owned(),
        conditions: Conditions {
            senders: section.senders.clone(),
            recipients: section.recipients.clone(),
            networks: section.networks.clone(),
            authenticated: section.authenticated,
            list_mail: section.list_mail,
            direction: section.direction,
            headers: section.when.header.clone(),
        },
        overrides: Overrides {
            profile: section.profile,
            defang: section.defang,
            protected: section.protected.iter().map(|name| name.0.clone()).collect(),
            blocked: names(&section.blocked),
            allowed: names(&section.allowed),
            level: section.level,
            signed: section.signed,
            linkify: section.linkify,
            notice: section.notice,
            html_attachments: section.html_attachments,
            subject_tag: section.subject_tag.clone(),
            link_actions: section.actions.clone(),
            message_actions: section.message_actions.clone(),
        },
    }
}
