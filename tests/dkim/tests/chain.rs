//! Edits of the filter in a chain of DKIM2 (draft-ietf-dkim-dkim2-spec as `mail-auth` has it): a message is
//! signed by who wrote it, edited twice on its way, and each who edited says by a recipe how the earlier
//! one is made of it. Whoever reads it at the end undoes both and finds all signatures hold.
//! `LINKMILTER` names the program.

use std::io::Write;
use std::process::{Command, Stdio};

use dkim_verifier::{Keys, nobody};
use mail_auth::common::crypto::{RsaKey, Sha256};
use mail_auth::dkim2::{Dkim2Signer, Envelope, Hop};
use mail_auth::{AuthenticatedMessage, Dkim2Result, Parameters};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;

/// A domain that signs.
struct Signer {
    domain: &'static str,
    key: Vec<u8>,
    record: String,
}

fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    out.stdout
}

impl Signer {
    fn new(domain: &'static str) -> Signer {
        let key =
            openssl(&["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], b"");
        let public = String::from_utf8(openssl(&["pkey", "-pubout"], &key)).unwrap();
        let public: String = public.lines().filter(|line| !line.starts_with('-')).collect();
        let record = format!("s._domainkey.{domain} v=DKIM1; k=rsa; p={public}\n");
        Signer { domain, key, record }
    }

    /// The message with the signature in front; `before` is what it was when it came.
    fn signed(&self, before: Option<&[u8]>, message: &[u8], next: (&str, &str)) -> Vec<u8> {
        let key = PrivateKeyDer::from_pem_slice(&self.key).unwrap();
        let key = RsaKey::<Sha256>::from_key_der(key).unwrap();
        let signer = Dkim2Signer::from_key(key).domain(self.domain).selector("s");
        let hop = Hop::real(next.0, [next.1]);
        let signed = match before {
            None => signer.sign(message, hop),
            Some(before) => signer.sign_revised(before, message, hop),
        };
        [signed.unwrap().to_header().as_bytes(), message].concat()
    }
}

/// What the filter makes of a message.
fn edited(message: &[u8], arguments: &[&str]) -> Vec<u8> {
    let program = std::env::var_os("LINKMILTER").expect("LINKMILTER names the program");
    let mut child = Command::new(program)
        .arg("rewrite")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(message).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success());
    assert_ne!(out.stdout, message, "an edit");
    out.stdout
}

const TEXT: &str = "From: ann@example.com\r\nTo: bob@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
    Hello,\r\npay at https://www.p\u{430}ypal.com/login now,\r\nor see https://www.example.net/ too.\r\n";

const HTML: &str = "From: ann@example.com\r\nTo: bob@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n\
    Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    <p>Pay <a href=3D\"https://www.p=D0=B0ypal.com/login\">here</a> or see <a href=3D\"https=\r\n\
    ://www.example.net/\">there</a>.</p>\r\n";

async fn result(message: &[u8], keys: &Keys) -> (Dkim2Result, usize) {
    let parsed = AuthenticatedMessage::parse(message).unwrap();
    let parameters = Parameters::new(&parsed).with_txt_cache(keys);
    let envelope = Envelope::new("list@far.example", ["carl@end.example"]);
    let out = nobody().unwrap().verify_dkim2(parameters, envelope).await;
    (out.result().clone(), out.chain().len())
}

#[tokio::test]
async fn two_edits_in_a_chain_are_undone_and_all_signatures_hold() {
    let signers = ["example.com", "example.org", "far.example"].map(Signer::new);
    let records: String = signers.iter().map(|signer| signer.record.as_str()).collect();
    let keys = Keys::read(&records).unwrap();
    for message in [TEXT, HTML] {
        let [author, site, list] = &signers;
        let sent = author.signed(None, message.as_bytes(), ("ann@example.com", "bob@example.org"));
        let once = edited(&sent, &[]);
        let on = site.signed(Some(&sent), &once, ("bob@example.org", "list@far.example"));
        let twice = edited(&on, &["--defang-all"]);
        let end = list.signed(Some(&on), &twice, ("list@far.example", "carl@end.example"));
        let text = String::from_utf8_lossy(&end);
        assert!(!text.contains("\nPay at https") && text.contains("hxxps://www"), "{text}");
        assert_eq!(result(&end, &keys).await, (Dkim2Result::Pass, 3), "{text}");
        // Somebody else's edit, of which no recipe says.
        let body = end.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        for at in [body, end.len() - 3] {
            let mut touched = end.clone();
            touched[at] ^= 1;
            let (result, _) = result(&touched, &keys).await;
            assert!(matches!(result, Dkim2Result::Fail(_)), "{result:?}");
        }
    }
}
