//! What a message keeps from its beginning (MAIL) to its end, whatever is reloaded or refreshed meanwhile: the
//! settings, the lists, the table of top-level domains, whom to query.

use std::sync::Arc;

use super::contacts::ContactStore;
use super::dns_client::MessageDns;
use super::judgement_cache::JudgementCache;
use super::reload::Generation;
use super::settings::Loaded;
use crate::engine::TldTable;
use crate::engine::lists::Listing;

/// What was in force when a message began.
#[derive(Clone)]
pub struct Begun {
    pub generation: Arc<Generation<Loaded>>,
    /// The lists of others.
    pub listings: Arc<Vec<Arc<Listing>>>,
    pub tlds: Arc<TldTable>,
    /// Judgements under this generation and this table.
    pub judgements: Arc<JudgementCache>,
    /// Sends DNS queries; `None` if the settings want none.
    pub dns: Option<MessageDns>,
    /// Who has had mail with whom; `None` if the settings do not ask for it.
    pub contacts: Option<Arc<ContactStore>>,
}
