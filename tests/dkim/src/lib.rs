//! What the crate `mail-auth` says of DKIM signatures; nothing is asked of the DNS.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Instant;

use mail_auth::common::parse::TxtRecordParser;
use mail_auth::common::verify::DomainKey;
use mail_auth::hickory_resolver::config::{ResolverConfig, ResolverOpts};
use mail_auth::{
    AuthenticatedMessage, DkimResult, MessageAuthenticator, Parameters, ResolverCache, Txt,
};

/// Keys by their names.
pub struct Keys(HashMap<Box<str>, Txt>);

impl ResolverCache<Box<str>, Txt> for Keys {
    fn get<Q>(&self, name: &Q) -> Option<Txt>
    where
        Box<str>: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.get(name).cloned()
    }

    fn remove<Q>(&self, _: &Q) -> Option<Txt>
    where
        Box<str>: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        None
    }

    fn insert(&self, _: Box<str>, _: Txt, _: Instant) {}
}

impl Keys {
    /// A line for each key: its name and its record (`s._domainkey.example.com v=DKIM1; p=…`).
    ///
    /// # Errors
    /// When a line is none.
    pub fn read(text: &str) -> Result<Keys, String> {
        let mut keys = HashMap::new();
        for line in text.lines() {
            let (name, record) = line.split_once(' ').ok_or("expected a name and a record")?;
            let key = DomainKey::parse(record.as_bytes()).map_err(|error| error.to_string())?;
            // As the DNS spells it, with the dot of the root.
            keys.insert(format!("{name}.").into(), Txt::DomainKey(Arc::new(key)));
        }
        Ok(Keys(keys))
    }
}

/// Somebody who knows no server to ask.
///
/// # Errors
/// When the library cannot be set up.
pub fn nobody() -> Result<MessageAuthenticator, String> {
    let options = ResolverOpts::default();
    let made = MessageAuthenticator::new(ResolverConfig::default(), options);
    made.map_err(|error| error.to_string())
}

/// `pass`, or `fail` and why.
///
/// # Errors
/// When there is no message or no signature.
pub async fn verdict(message: &[u8], keys: &Keys) -> Result<String, String> {
    let nobody = nobody()?;
    let parsed = AuthenticatedMessage::parse(message).ok_or("expected a message")?;
    let all = nobody.verify_dkim(Parameters::new(&parsed).with_txt_cache(keys)).await;
    if all.is_empty() {
        return Err("expected a signature".to_owned());
    }
    let failed = all.iter().find(|one| *one.result() != DkimResult::Pass);
    Ok(failed.map_or("pass".to_owned(), |one| format!("fail {:?}", one.result())))
}
