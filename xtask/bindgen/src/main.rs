//! Writes JavaScript glue and TypeScript types for one wasm module.
//!
//! A package of its own, because its dependencies take a minute to compile and the everyday `cargo xtask` commands should
//! not wait for them. The glue is for the `web` target: `initSync({ module: bytes })` makes the same files usable in Node.
use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, out_dir, out_name] = arguments.as_slice() else {
        bail!("expected three arguments: INPUT.wasm OUT_DIR OUT_NAME");
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .out_name(out_name)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(false);
    bindgen.web(true).context("could not select the web target")?;
    bindgen.generate(out_dir).with_context(|| format!("could not write the glue of `{input}` to `{out_dir}`"))
}
