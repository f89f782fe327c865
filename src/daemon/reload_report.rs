//! The result of the last reload, as a file in the state directory. Whoever asked for the reload by SIGHUP
//! (`linkmilter allow add`, a unit's `ExecReload`) reads it there.

use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

use crate::atomic_file;
use crate::config::Config;

/// Name of the file in the state directory.
const FILE: &str = "reload.json";

/// Mode of the file: the group of the daemon may read it.
const MODE: u32 = 0o640;

/// Version of the file format.
const VERSION: u32 = 1;

/// The last reload of a daemon process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadReport {
    v: u32,
    pub process: i32,
    /// Reloads of this process so far; 0 if it has just started.
    pub number: u64,
    #[serde(rename = "told")]
    pub result: ReloadResult,
}

/// How a reload ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReloadResult {
    /// This generation is in force.
    InForce { generation: u64 },
    /// The reload failed with this error, and the old generation stays in force.
    Kept { generation: u64, error: String },
}

impl ReloadReport {
    /// The report in the state directory, if there is one that can be read.
    pub fn read(config: &Config) -> Option<ReloadReport> {
        let text = fs::read_to_string(config.in_state(FILE)).ok()?;
        serde_json::from_str(&text).ok().filter(|report: &ReloadReport| report.v == VERSION)
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The state directory cannot be written.
    pub fn write(config: &Config, number: u64, result: ReloadResult) -> io::Result<()> {
        let process = i32::try_from(std::process::id()).unwrap_or_default();
        let text = serde_json::to_vec(&ReloadReport { v: VERSION, process, number, result })?;
        atomic_file::replace(&config.in_state(FILE), &text, MODE)
    }
}
