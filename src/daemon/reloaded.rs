//! What became of the last reload, in the state directory: whoever asked for it by SIGHUP
//! (`linkmilter allow add`, a unit's `ExecReload`) can read what the daemon made of it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

use serde::{Deserialize, Serialize};

use crate::config::Config;

/// Name of the file in the state directory.
const FILE: &str = "reload.json";

/// Form of the file.
const VERSION: u32 = 1;

/// The last reload of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reloads {
    v: u32,
    pub process: i32,
    /// Reloads of this process so far; none yet when it has just started.
    pub number: u64,
    pub told: Told,
}

/// How a reload ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// This generation is in force.
    InForce { generation: u64 },
    /// The old one stays in force, and why.
    Kept { generation: u64, error: String },
}

impl Reloads {
    /// What this process told, if anything is there that can be read.
    pub fn read(config: &Config) -> Option<Reloads> {
        let text = fs::read_to_string(config.in_state(FILE)).ok()?;
        serde_json::from_str(&text).ok().filter(|reloads: &Reloads| reloads.v == VERSION)
    }

    /// Tells it: written beside, then renamed.
    ///
    /// # Errors
    /// When the state directory cannot be written.
    pub fn write(config: &Config, number: u64, told: Told) -> io::Result<()> {
        let process = i32::try_from(std::process::id()).unwrap_or_default();
        let text = serde_json::to_vec(&Reloads { v: VERSION, process, number, told })?;
        let beside = config.in_state(".reload.json.new");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o640).open(&beside)?;
        file.write_all(&text)?;
        fs::rename(&beside, config.in_state(FILE))
    }
}
