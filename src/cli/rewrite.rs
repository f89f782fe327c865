//! `linkmilter rewrite`.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use super::ExitStatus;
use super::dns::BlockingResolver;
use super::shared::{ConfigFile, host_name, with_feeds};
use crate::daemon::envelope::observe;
use crate::engine::outcome::{Bypass, fields_at};
use crate::engine::policy::{Defang, HeaderFields, Mode, Signed};
use crate::engine::splice::{Believe, fields};
use crate::engine::whole::Whole;
use crate::engine::{
    Answers, Case, Facts, Message, Outcome, Policy, examine, inspect_case, splice,
};
use crate::policy::Envelope;

/// Filter one message
///
/// Reads a message and writes it with its deceptive links defanged. Every byte outside of the edits
/// stays unchanged; a part that an edit would give a line of more than 998 bytes is encoded anew, and
/// `X-Linkmilter` says which (`recoded`). What undoes the edits is written into the header whole,
/// whatever `policy.undo_bytes` says. A message that was filtered before keeps what undoes that; what other fields of
/// the filter say is said anew, since a sender can write them. If this configuration edits more, it edits the original
/// anew: every link of it, if none was left. Of the rules of the configuration, only those are used that
/// depend on the header alone (`when.header`, `list_mail`): the envelope is unknown. Exit code 2 if the message cannot
/// be written to its end.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Add no header fields: a message without edits is written unchanged
    #[arg(long)]
    no_header: bool,
    /// Treat every link as unsafe, to share a message with others
    #[arg(long)]
    defang_all: bool,
    /// Query the DNS for top-level domains that the table lacks
    #[arg(long)]
    dns: bool,
    #[command(flatten)]
    config: ConfigFile,
    /// The message [default: standard input]
    file: Option<PathBuf>,
}

/// The message as it was before the filter.
fn without_filter_edits(bytes: &[u8]) -> Option<Vec<u8>> {
    let whole = Whole::split(bytes);
    let message = whole.message;
    let restored =
        splice::restore_as(message.head, message.body, &[], Believe::All, |_| None).ok()?;
    Some(whole.with(&restored.head, &restored.body))
}

/// These settings, and every link is edited, whatever the configuration exempts.
fn defanging_all(policy: Policy) -> Policy {
    Policy {
        defang: Defang::All,
        mode: policy.mode.max(Mode::Enforce),
        exempt: None,
        signed: Signed::EditUnsafe,
        ..policy
    }
}

/// The outcome for a message that was filtered before, and the bytes that it is for: the message as it came, or as it
/// was `before`. `now` is how it came, and whether there is anything to edit in it.
fn filter_again(
    filter: &impl Fn(Message<'_>, &Policy) -> Outcome,
    policy: &Policy,
    before: Vec<u8>,
    (now, edits): (Vec<u8>, bool),
) -> (Outcome, Vec<u8>) {
    let outcome = filter(Message::split(&before), policy);
    // This one has filtered it.
    if !edits && outcome.apply(&before) == now {
        return (outcome, before);
    }
    // Another configuration edits more: one recipe must undo the edits of both. Where the first left no link, none
    // comes back.
    if edits {
        let all = defanging_all(policy.clone());
        let is_dead = filter(Message::split(&now), &all).edits.is_empty();
        let outcome = if is_dead { filter(Message::split(&before), &all) } else { outcome };
        return (outcome, before);
    }
    // Another configuration defanged more, or a sender wrote the fields: nothing that they say is kept.
    let mut outcome = filter(Message::split(&now), policy);
    outcome.head_edits.retain(|edit| !edit.name.eq_ignore_ascii_case(fields::UNDO));
    (outcome, now)
}

pub fn run(args: Args) -> anyhow::Result<ExitStatus> {
    let config = args.config.load()?;
    // The process ends soon, and may be started for each message: to free what the settings hold takes a tenth of it.
    let settings = ManuallyDrop::new(config.user_settings()?);
    let bytes = super::input::message(args.file.as_deref())?;
    let message = Message::split(&bytes);
    // A message that was filtered before keeps what undoes that.
    let known = splice::undo::holds(message.head, message.body, |_| None);
    let omit = args.no_header || known;
    let host_name = host_name(&config);
    let mut envelope = Envelope::default();
    observe(&mut envelope, message.head, &settings.policies, &host_name);
    let selected = settings.policies.select_by_header(&envelope);
    let mut policy = Policy {
        header_fields: if omit { HeaderFields::Omit } else { HeaderFields::Add },
        // Nobody stores a recipe for the command line, so all of it goes into the header.
        undo_header_bytes: None,
        ..with_feeds(&config, &selected)
    };
    if args.defang_all {
        policy = defanging_all(policy);
    }
    let dmarc = settings.policies.dmarc(&envelope, &host_name);
    let facts = Facts { host_name, dmarc, ..Facts::default() };
    let tlds = super::tld::table(&config);
    let resolver = args.dns.then(|| BlockingResolver::new(&config, &tlds)).transpose()?;
    let ask = |questions: &[String]| {
        resolver.as_ref().map_or_else(Answers::new, |resolver| resolver.answers(questions))
    };
    let filter = |message: Message<'_>, policy: &Policy| {
        examine(inspect_case, Case::new(message, &facts, policy, &tlds), ask)
    };
    let mut outcome = filter(message, &policy);
    let edits = !outcome.edits.is_empty() || !outcome.head_edits.is_empty();
    let before = (known && !args.no_header).then(|| without_filter_edits(&bytes)).flatten();
    let mut bytes = bytes;
    if let Some(before) = before {
        policy.header_fields = HeaderFields::Add;
        (outcome, bytes) = filter_again(&filter, &policy, before, (bytes, edits));
    }
    if outcome.bypasses.iter().any(|(_, why)| *why == Bypass::Panic) {
        super::warn(
            &"expected to judge the message, but the engine failed: it is written unchanged",
        );
    }
    if !outcome.fields.is_empty() && fields_at(Message::split(&bytes).head).is_none() {
        super::warn(
            &"expected a header in which a field can stand, found lines that begin with a blank: it is written unchanged",
        );
    }
    super::deliver(&[&outcome.apply(&bytes)])
}
