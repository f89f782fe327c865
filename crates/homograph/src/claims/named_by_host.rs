//! Whom a host of another owner names, or looks like, beside the names that its letters alone say.

use super::asks_abroad::asks_abroad;
use super::organisation_drawn::organisation_drawn;
use super::organisation_inside::organisation_inside;
use crate::hosts::government::seeming_site;
use crate::spelling::domain::Registered;
use crate::{Judgement, Names, Reason};

/// The domain of whom a host claims to be, in ASCII form, and how it says so. For hosts that are judged to be harmless.
pub fn named_by_host(host: &Judgement, protected: &Names) -> Option<(String, Reason)> {
    let registered = Registered::of(&host.ascii);
    let inside = organisation_inside(&registered, protected)
        .or_else(|| asks_abroad(host, &registered, protected));
    if let Some(name) = inside {
        return Some((name.to_owned(), Reason::NameInHost));
    }
    if let Some(name) = organisation_drawn(host, protected) {
        return Some((name.to_owned(), Reason::TargetLookalike));
    }
    seeming_site(&registered, protected).map(|site| (site, Reason::NameInHost))
}
