//! Writes the script beside a module of wasm: `bindgen MODULE.wasm FOLDER`. What wasm-bindgen's own command
//! does, of the very version that `Cargo.lock` names.

use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        anyhow::bail!("expected MODULE.wasm FOLDER, found {arguments:?}");
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
}
