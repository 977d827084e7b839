//! The page on loopback, alone or with a training run beside it.
use std::path::Path;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::Verdict;
use crate::args::{DemoOptions, ServeOptions};
use crate::console;
use crate::process;
use crate::static_server::StaticServer;
use crate::trainer::Trainer;
use crate::wasm::{self, Package};
use crate::web;
use crate::workspace::Workspace;

/// `cargo xtask demo`
pub(crate) fn demo(workspace: &Workspace, options: &DemoOptions) -> Result<Verdict> {
    console::note("building the clinic and its page");
    wasm::build_package(workspace, Package::Clinic)?;
    web::build(workspace)?;
    let out = workspace.path(&options.out);
    if !options.no_serve {
        let server = bind(workspace, options.port, &out)?;
        thread::spawn(move || server.serve());
    }
    // The page is open by now; what compiles for minutes comes after.
    console::note("building the agent for the page");
    wasm::build_package(workspace, Package::Agent)?;
    if !options.skip_train
        && let Err(error) = train(workspace, &out)
    {
        let error = error.context(format!(
            "the training run in `{0}` did not end well; to begin anew, remove that folder or choose another --out",
            out.display()
        ));
        if options.no_serve {
            return Err(error);
        }
        // The page and the shipped agent are as good as before.
        console::error(&error);
    }
    if !options.no_serve {
        console::note("serving until Ctrl-C");
        loop {
            thread::park();
        }
    }
    Ok(Verdict::Fine)
}

/// `cargo xtask serve`
pub(crate) fn serve(workspace: &Workspace, options: &ServeOptions) -> Result<Verdict> {
    if !options.no_build {
        web::build_everything(workspace)?;
    }
    bind(workspace, options.port, &workspace.path(&options.fresh))?.serve();
    Ok(Verdict::Fine)
}

/// Binds the page and prints its address; what training writes to `fresh` appears under `/fresh/`.
fn bind(workspace: &Workspace, port: u16, fresh: &Path) -> Result<StaticServer> {
    let page = workspace.path("web/dist");
    if !page.join("index.html").is_file() {
        bail!("there is no page in `{}`; build it: cargo xtask web", page.display());
    }
    let server = StaticServer::bind(port, vec![("/", page), ("/fresh/", fresh.to_path_buf())])
        .context("could not listen on 127.0.0.1")?;
    console::result(&format!("the clinic is open: http://{}/", server.address()?));
    Ok(server)
}

fn train(workspace: &Workspace, out: &Path) -> Result<()> {
    console::note("building the trainer");
    let trainer = Trainer::build(workspace)?;
    console::note("training the quick preset");
    process::run(trainer.command(workspace, ["train", "--preset", "quick", "--out"]).arg(out))
}
