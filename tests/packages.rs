//! What others take: each crate as `cargo package` would send it, with all that a registry asks for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What stands in a package beside the folders of its crate; the first three are cargo's own.
const FILES: [&str; 9] = [
    ".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig", "Cargo.toml", "LICENSE-APACHE",
    "LICENSE-MIT", "LICENSE-UNICODE", "README.md", "CHANGELOG.md",
];

/// What cargo prints, no registry asked.
fn cargo(arguments: &[&str]) -> String {
    let out = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--quiet"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The packages of the workspace, as cargo reads their manifests.
fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1", "--locked"]);
    let mut metadata: Value = serde_json::from_str(&metadata).unwrap();
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("packages: {other}"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn folder(package: &Value) -> &Path {
    Path::new(text(&package["manifest_path"])).parent().unwrap()
}

/// The files of the package, by their paths in it.
fn files(package: &Value) -> BTreeSet<String> {
    let listed = cargo(&["package", "--list", "--allow-dirty", "-p", text(&package["name"])]);
    listed.lines().map(str::to_owned).collect()
}

/// Files of a folder and all below it, by their paths from `root`.
fn below(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => below(root, &path, found),
            false => drop(found.insert(path.strip_prefix(root).unwrap().display().to_string())),
        }
    }
}

#[test]
fn manifests_say_all_that_a_registry_shows() {
    let packages = packages();
    assert!(packages.len() >= 6, "{}", packages.len());
    let mut missing = Vec::new();
    for package in &packages {
        let name = text(&package["name"]);
        for key in ["description", "license", "readme", "rust_version"] {
            if text(&package[key]).is_empty() {
                missing.push(format!("{name}: {key}"));
            }
        }
        for key in ["keywords", "categories"] {
            if !matches!(package[key].as_array().map(Vec::len), Some(1..=5)) {
                missing.push(format!("{name}: one to five {key}"));
            }
        }
        if package["metadata"]["docs"]["rs"]["all-features"] != Value::Bool(true) {
            missing.push(format!("{name}: package.metadata.docs.rs"));
        }
        let licence = text(&package["license"]);
        let plain = licence.strip_prefix('(').unwrap_or(licence);
        assert!(plain.starts_with("MIT OR Apache-2.0"), "{name}: {licence}");
        // No repository: there is none yet that others can reach.
        for key in ["edition", "rust_version", "repository"] {
            assert_eq!(package[key], packages[0][key], "{name}: the same {key} for all");
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// A crate asks for the version of its neighbour that stands beside it.
#[test]
fn crates_of_the_workspace_ask_for_each_other_as_they_are() {
    let packages = packages();
    let mut asked = 0;
    for package in &packages {
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["path"].is_null() {
                continue;
            }
            let of = |other: &&Value| other["name"] == dependency["name"];
            let version = text(&packages.iter().find(of).unwrap()["version"]);
            assert_eq!(text(&dependency["req"]), format!("^{version}"), "{}", package["name"]);
            asked += 1;
        }
    }
    assert!(asked >= 9, "{asked}");
}

#[test]
fn a_package_holds_sources_licences_and_data_and_nothing_else() {
    for package in packages() {
        let (name, root) = (text(&package["name"]), folder(&package));
        let whole = root == Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders: &[&str] = match whole {
            true => &["src", "examples", "conf", "systemd", "docs"],
            false => &["src", "examples", "tests", "data"],
        };
        let mut wanted: BTreeSet<String> = FILES
            .iter()
            .filter(|file| root.join(file).exists())
            .map(|file| (*file).to_owned())
            .collect();
        folders.iter().for_each(|folder| below(root, &root.join(folder), &mut wanted));
        let listed = files(&package);
        let missing: Vec<_> = wanted.difference(&listed).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:#?}");
        let own = |file: &&String| !FILES.contains(&file.as_str());
        let further: Vec<_> = listed.difference(&wanted).filter(own).collect();
        assert!(further.is_empty(), "{name} has {further:#?}");
    }
}

/// The licence stands in each package, and beside what is of others theirs.
#[test]
fn what_is_of_others_comes_with_its_notice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for package in packages() {
        let name = text(&package["name"]);
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let (ours, theirs) = (root.join(licence), folder(&package).join(licence));
            assert_eq!(fs::read(ours).unwrap(), fs::read(theirs).unwrap(), "{name}: {licence}");
        }
    }
    for package in packages() {
        let ours = folder(&package).join("LICENSE-UNICODE").exists();
        let declared = text(&package["license"]).contains("AND Unicode-3.0");
        assert_eq!(
            ours, declared,
            "{}: LICENSE-UNICODE stands where Unicode-3.0 is declared",
            package["name"]
        );
    }
    let begins = |file: &str, words: &str| {
        let text = fs::read_to_string(root.join("crates").join(file)).unwrap();
        assert!(text.chars().take(400).collect::<String>().contains(words), "{file}: {words}");
    };
    for file in ["LICENSE-UNICODE", "tests/unicode/LICENSE"] {
        begins(&format!("uts58/{file}"), "UNICODE LICENSE V3");
        begins(&format!("homograph/{file}"), "UNICODE LICENSE V3");
    }
    begins("uts58/data/public_suffix_list.txt", "Mozilla Public License, v. 2.0");
    begins("homograph/src/lists/english.txt", "Kevin Atkinson");
    // The bill of materials has the notice from there too.
    let bill = fs::read_to_string(root.join("packaging/sbom")).unwrap();
    let named: Vec<&str> =
        bill.split("pathlib.Path(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(!named.is_empty() && named.iter().all(|path| root.join(path).exists()), "{named:?}");
    begins("homograph/src/lists/twins.txt", "Kevin Atkinson");
}

/// A program without the standard library takes `uts58` as it is, and all that it stands on.
#[test]
fn links_are_found_without_the_standard_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_to_string(root.join("crates/uts58/src/lib.rs")).unwrap();
    assert!(source.contains("#![cfg_attr(not(test), no_std)]"));
    let on = |features: &[&str]| {
        let tree = ["tree", "--locked", "-p", "uts58", "-e", "normal,no-proc-macro"];
        let format = ["--prefix", "none", "--format", "{p} {f}"];
        let tree = cargo(&[&tree[..], &format, features].concat());
        tree.lines().filter(|line| line.split([' ', ',']).any(|word| word == "std")).count()
    };
    assert_eq!(on(&["--no-default-features"]), 0);
    assert_ne!(on(&[]), 0);
}

/// Who has a package has no folder above it.
#[test]
fn a_readme_leads_nowhere_outside_of_its_package() {
    for package in packages() {
        let root = folder(&package);
        let readme = fs::read_to_string(root.join("README.md")).unwrap();
        let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains(':')) {
            let inside = !link.split('/').any(|folder| folder == "..") && root.join(link).exists();
            assert!(inside, "{}: README.md leads to {link}", package["name"]);
        }
    }
}

/// Each is run by its test, and a reader of the README knows how to start it.
#[test]
fn examples_are_tested_and_stand_in_the_readme() {
    for package in packages() {
        let (name, root) = (text(&package["name"]), folder(&package));
        if root == Path::new(env!("CARGO_MANIFEST_DIR")) {
            continue;
        }
        let readme = fs::read_to_string(root.join("README.md")).unwrap();
        let is_example = |target: &&Value| target["kind"][0] == "example";
        let examples: Vec<&Value> =
            package["targets"].as_array().unwrap().iter().filter(is_example).collect();
        assert!(!examples.is_empty(), "{name} has an example");
        for example in examples {
            let title = text(&example["name"]);
            assert_eq!(example["test"], true, "{name}: {title} has a test");
            let source = fs::read_to_string(text(&example["src_path"])).unwrap();
            assert!(source.contains("#[test]"), "{name}: {title} has a test");
            assert!(readme.contains(&format!("--example {title}")), "{name}: README on {title}");
        }
    }
}

/// As they would be sent, each asking for the others as they stand here.
#[test]
fn every_crate_can_be_packed_without_a_registry() {
    let packed = tempfile::tempdir().unwrap();
    let folder = packed.path().to_str().unwrap();
    cargo(&["package", "--workspace", "--no-verify", "--allow-dirty", "--target-dir", folder]);
    for package in packages() {
        let file = format!("{}-{}.crate", text(&package["name"]), text(&package["version"]));
        let size = fs::metadata(packed.path().join("package").join(&file)).unwrap().len();
        // A registry takes 10 MB.
        assert!(size < 10_000_000, "{file}: {size} bytes");
    }
}
