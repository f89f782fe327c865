//! Hosts that have the name of a domain in front because of what mail servers and administrators ask about it.

use homograph::is_or_below;

/// Hosts below which a domain stands that they receive, sign or report mail for, or that is looked up in a list: there are
/// no pages. `fritz.box` is what a router adds to names.
const MAIL_HOSTS: [&str; 11] = [
    "_d.easydmarc.pro", "_nspf.vali.email", "arsmtp.com", "dkim.mail.microsoft", "fritz.box",
    "hostedemail.com", "mailspike.net", "mx.microsoft", "rspamd.com", "spameatingmonkey.net",
    "uribl.swinog.ch",
];

/// Who receives reports of DMARC for others, and says so in the DNS (RFC 7489 §7.1).
const REPORTED_TO: [&str; 11] = [
    "agari.com", "cloudflare.net", "dmarc-report.com", "dmarcanalyzer.com", "dmarcian.com",
    "easydmarc.com", "ondmarc.com", "postmarkapp.com", "powerdmarc.com", "uriports.com",
    "vali.email",
];

/// Whether a host is one that only mail servers and administrators ask for, with the domain that is asked about.
pub(super) fn names_domain(ascii: &str) -> bool {
    if MAIL_HOSTS.into_iter().any(|host| is_or_below(ascii, host)) {
        return true;
    }
    // Most hosts have no such label.
    if !ascii.contains('_') {
        return false;
    }
    let reported = ascii.split_once("._report._dmarc.").map(|(_, to)| to);
    let signed = ascii.split_once("._domainkey.").map(|(_, of)| of);
    reported.is_some_and(|to| REPORTED_TO.into_iter().any(|host| is_or_below(to, host)))
        || signed.and_then(|of| of.strip_suffix(".onmicrosoft.com")).is_some_and(is_label)
}

fn is_label(name: &str) -> bool {
    !name.is_empty() && !name.contains('.')
}

#[cfg(test)]
mod tests {
    use crate::{Answers, Facts, Message, Policy, TldTable, Verdict, inspect};

    fn verdict(host: &str) -> Verdict {
        let body = format!("https://{host}/\n");
        let message = Message { head: b"From: x@example.org\n", body: body.as_bytes() };
        let tlds =
            TldTable::new(["box", "ch", "com", "email", "microsoft", "net", "org", "pro"], "");
        let facts = Facts { recipient_domains: vec!["harbour.com".into()], ..Facts::default() };
        inspect(message, &facts, &Policy::default(), &tlds).resolve(&Answers::new()).verdict
    }

    #[test]
    fn hosts_of_mail_servers_and_lists_have_names_of_others() {
        for host in [
            "amazon-com.o-v1.mx.microsoft",
            "selector1-paypal-com._domainkey.paypal.x-v1.dkim.mail.microsoft",
            "selector1-paypal-com._domainkey.contoso.onmicrosoft.com",
            "paypal.com._nspf.vali.email",
            "_spf.paypal.com._d.easydmarc.pro",
            "paypal.com._report._dmarc.dmarcian.com",
            "mx.paypal.com.cust.a.hostedemail.com",
            "paypal.com.fresh.spameatingmonkey.net",
            "www.paypal.com.fritz.box",
            "mx.harbour.com.cust.a.hostedemail.com",
        ] {
            assert!(verdict(host) < Verdict::Suspect, "{host}");
        }
        for host in [
            "paypal.com._report._dmarc.verify.com",
            "paypal-com._domainkey.verify.com",
            "paypal.com._domainkey.a.b.onmicrosoft.com",
            "paypal.com.vali.email",
            "paypal.com.mx-microsoft.com",
        ] {
            assert_eq!(verdict(host), Verdict::Suspect, "{host}");
        }
    }
}
