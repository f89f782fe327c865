//! Whether the DKIM signatures of a message hold, as the crate `mail-auth` says: a second verifier beside
//! opendkim, which shares no code with it.
//!
//! `dkim-verifier KEYS [SAID] < MESSAGE` prints `pass`, or `fail` and why. KEYS has a line for each key, its
//! name and its record (`s._domainkey.example.com v=DKIM1; p=…`); nothing is asked of the DNS. What was
//! printed is added to SAID as well.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};

use dkim_verifier::{Keys, verdict};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [keys, said @ ..] = words.as_slice() else {
        return Err("expected the file of the keys".to_owned());
    };
    let keys = fs::read_to_string(keys).map_err(|error| format!("{keys}: {error}"))?;
    let mut message = Vec::new();
    io::stdin().read_to_end(&mut message).map_err(|error| error.to_string())?;
    let verdict = verdict(&message, &Keys::read(&keys)?).await? + "\n";
    for said in said {
        let file = OpenOptions::new().append(true).create(true).open(said);
        file.and_then(|mut file| file.write_all(verdict.as_bytes()))
            .map_err(|error| format!("{said}: {error}"))?;
    }
    print!("{verdict}");
    Ok(())
}
