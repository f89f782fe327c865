//! What the MTA says about a message, in the form that policy and engine take.

use std::borrow::Cow;

use super::header_fields::fields;
use super::settings::Loaded;
use crate::engine::{Dmarc, Facts, Side};
use crate::milter::{Mail, Origin};
use crate::policy::{Envelope, Path, Policies};
use crate::record::printable;

/// The envelope, with the header fields that select settings.
pub fn envelope(mail: &Mail, loaded: &Loaded) -> Envelope {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut envelope = Envelope {
        sender: text(&mail.sender),
        recipients: recipients(mail),
        client: mail.client_address(),
        authenticated: Some(text(&mail.authenticated)).filter(|user| !user.is_empty()),
        path: match mail.origin {
            Origin::Smtp => Path::Smtpd,
            Origin::Local => Path::NonSmtpd,
        },
        ..Envelope::default()
    };
    observe(&mut envelope, &mail.head, &loaded.settings.policies, &name_of_mta(mail, loaded));
    envelope
}

/// The recipients that select settings. If there are more than are kept, the default settings count as well: without
/// the consent of the rest, nothing is done for which all recipients must agree.
fn recipients(mail: &Mail) -> Vec<String> {
    let kept = mail.recipients.iter().map(|address| String::from_utf8_lossy(address).into_owned());
    kept.chain((mail.recipients_omitted > 0).then(String::new)).collect()
}

/// The name that the MTA gives itself, in Received fields and by default in Authentication-Results. If it
/// sends none, the name of this host.
fn name_of_mta<'m>(mail: &'m Mail, loaded: &'m Loaded) -> Cow<'m, str> {
    match mail.host_name.is_empty() {
        true => Cow::Borrowed(&loaded.host_name),
        false => String::from_utf8_lossy(&mail.host_name),
    }
}

/// Adds what the header says. `host` is the name of the MTA.
pub fn observe(envelope: &mut Envelope, head: &[u8], policies: &Policies, host: &str) {
    for (name, value) in fields(head) {
        envelope.observe(&String::from_utf8_lossy(name), &String::from_utf8_lossy(value));
    }
    envelope.trusted_fields = policies.trusted_fields(fields(head), host);
}

/// What the engine must know of the envelope and of this installation.
///
/// Our header fields carry the configured host name. If none is configured they carry the MTA's own name.
pub fn facts(mail: &Mail, envelope: &Envelope, loaded: &Loaded) -> Facts {
    let mut domains: Vec<String> = envelope
        .recipients
        .iter()
        .filter_map(|recipient| Some(recipient.rsplit_once('@')?.1.to_lowercase()))
        .collect();
    domains.sort_unstable();
    domains.dedup();
    if !loaded.config.lists.protect_recipients {
        domains.clear();
    }
    let host_name = match loaded.config.server.host_name {
        None => printable::host(&name_of_mta(mail, loaded)),
        Some(_) => loaded.host_name.clone(),
    };
    let language = loaded.config.policy.language.clone();
    let side = match loaded.settings.policies.is_from_outside(envelope) {
        true => Side::Outside,
        false => Side::Unknown,
    };
    let dmarc = dmarc(mail, envelope, loaded);
    Facts { recipient_domains: domains, host_name, language, side, dmarc, ..Facts::default() }
}

/// The DMARC result of our own server for the author's domain.
pub fn dmarc(mail: &Mail, envelope: &Envelope, loaded: &Loaded) -> Dmarc {
    loaded.settings.policies.dmarc(envelope, &name_of_mta(mail, loaded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flag, Sources};

    #[test]
    fn the_mta_goes_by_its_own_name_whatever_we_call_ourselves() {
        let mut sources = Sources::builtin_only();
        let values = vec!["filter.example.org".to_owned()];
        sources.flags.push(Flag { option: "--x", key: "server.host_name", values });
        let loaded = super::super::settings::load(&sources).unwrap();
        for (ours, id, dmarc) in [
            ("mx.example.org", "mx.example.org", Dmarc::Fail),
            ("mx.example.org", "filter.example.org", Dmarc::Unknown),
            ("", "filter.example.org", Dmarc::Fail),
        ] {
            let head = format!(
                "Authentication-Results: {id}; dmarc=fail header.from=example.com\r\n\
                 From: ann@example.com\r\n"
            );
            let mail = Mail { host_name: ours.into(), head: head.into_bytes(), ..Mail::default() };
            let facts = facts(&mail, &envelope(&mail, &loaded), &loaded);
            assert_eq!((facts.dmarc, facts.host_name.as_str()), (dmarc, "filter.example.org"));
        }
    }

    #[test]
    fn domains_of_recipients_come_once_each() {
        let mail = Mail {
            recipients: vec![
                b"a@Example.ORG".to_vec(),
                b"b@example.org".to_vec(),
                b"root".to_vec(),
            ],
            host_name: b"mx.example.org".to_vec(),
            head: b"From: Ann <ann@example.com>\r\nList-Id: <l.example.com>\r\n".to_vec(),
            ..Mail::default()
        };
        let loaded = super::super::settings::load(&Sources::builtin_only()).unwrap();
        let envelope = envelope(&mail, &loaded);
        assert_eq!(envelope.author, crate::policy::Author::One("ann@example.com".to_owned()));
        assert_eq!(envelope.list_mail, crate::policy::ListMail::Yes);
        let facts = facts(&mail, &envelope, &loaded);
        assert_eq!(facts.recipient_domains, ["example.org"]);
        assert_eq!(facts.host_name, "mx.example.org", "the name that the MTA sent");
    }

    #[test]
    fn recipients_beyond_the_most_have_the_default_settings() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("linkmilter.toml");
        let rule = "[rules.quiet]\nrecipients = [\"example.org\"]\nprofile = \"report-only\"\n";
        std::fs::write(&file, rule).unwrap();
        let loaded = super::super::settings::load(&Sources::new(Some(file))).unwrap();
        let mail = Mail { recipients: vec![b"a@example.org".to_vec()], ..Mail::default() };
        let more = Mail { recipients_omitted: 1, ..mail.clone() };
        for (mail, edits) in [(mail, false), (more, true)] {
            let envelope = envelope(&mail, &loaded);
            assert_eq!(loaded.settings.policies.select(&envelope).policy.edits(), edits);
            assert_eq!(facts(&mail, &envelope, &loaded).recipient_domains, ["example.org"]);
        }
    }
}
