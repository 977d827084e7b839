//! The `workup` command as scripts see it: names of flags and keys, exit statuses, what stands on stdout.
//!
//! Catches a renamed key or a changed status, which no type checks. Data that are not part of the repository are looked for in
//! `../shared/data` beside it; a test without them says so.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

fn workup(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_workup")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = workup(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A file of the shared data; `None`, with the reason printed, where they are absent.
fn shared(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if !path.is_file() {
        // Through the handle: the test runner swallows `eprintln!`.
        let _ = writeln!(std::io::stderr(), "skipped: `{}` does not exist", path.display());
        return None;
    }
    Some(path.to_str().unwrap().to_owned())
}

/// A folder of its own for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn published_vectors_are_met_and_reported_under_their_names() {
    let Some(vectors) = shared("medexagent/reward_vectors.json") else { return };
    let report = json(&["score", "--vectors", &vectors, "--json"]);
    assert_eq!(report["count"], 500);
    assert!(report["max_abs_error"].as_f64().unwrap() <= 1e-12);
    for (flag, file) in [("--params", "param_vectors"), ("--diagnoses", "diag_vectors")] {
        let Some(vectors) = shared(&format!("medexagent/{file}.json")) else { return };
        assert_eq!(json(&["score", flag, &vectors, "--json"])["mismatches"], 0);
    }
}

#[test]
fn a_failed_check_exits_with_one_and_what_could_not_run_with_two() {
    let folder = folder("score");
    let wrong = folder.join("wrong.json");
    fs::write(&wrong, r#"[{"tool": "ct", "parameter": "region", "input": "chest", "normalized": "head"}]"#).unwrap();
    assert_eq!(workup(&["score", "--params", wrong.to_str().unwrap()]).status.code(), Some(1));
    assert_eq!(workup(&["score", "--params", "no/such/file.json"]).status.code(), Some(2));
    assert_eq!(workup(&["score"]).status.code(), Some(2));
    let unknown = workup(&["eval", "--policy", "oracle"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("oracle_clean"));
}

#[test]
fn the_last_line_of_a_digest_is_sixteen_hexadecimal_digits_that_the_seed_decides() {
    let digest = |seed| {
        let text = stdout(&workup(&["digest", "--scenarios", "12", "--seed", seed]));
        text.lines().last().unwrap().to_owned()
    };
    let first = digest("1");
    assert_eq!(first.len(), 16);
    assert!(first.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{first}");
    assert_eq!(first, digest("0000000000000001"));
    assert_ne!(first, digest("2"));
}

#[test]
fn an_evaluation_echoes_its_setting_and_reports_every_mean_with_an_interval() {
    let report = json(&[
        "eval",
        "--policy",
        "checklist",
        "--cases",
        "60",
        "--seed",
        "7",
        "--patient-noise",
        "0.15",
        "--exam-noise",
        "0.3",
        "--payer",
        "cash",
        "--prevalence",
        "incidence",
        "--split",
        "validation",
        "--max-doctor-turns",
        "18",
        "--json",
    ]);
    for (key, value) in [
        ("policy", "checklist".into()),
        ("cases", 60.into()),
        ("seed", "0000000000000007".into()),
        ("patient_noise", 0.15.into()),
        ("exam_noise", 0.3.into()),
        ("noise_plan", "keyed".into()),
        ("reward_mode", "clinic".into()),
        ("payer", "cash".into()),
        ("prevalence", "incidence".into()),
        ("split", "validation".into()),
        ("max_doctor_turns", 18.into()),
        ("max_patient_turns", 15.into()),
        ("knowledge", Value::from("core24")),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    for key in
        ["accuracy", "macro_accuracy", "reward", "dollars", "discomfort", "exams", "turns", "questions_understood"]
    {
        let number = |end: &str| report[key][end].as_f64().unwrap();
        assert!(number("low") <= number("mean") && number("mean") <= number("high"), "{key}: {}", report[key]);
    }
    let cases = report["per_disease"].as_object().unwrap().values().map(|disease| disease["cases"].as_u64().unwrap());
    assert_eq!(cases.sum::<u64>(), 60);
}

#[test]
fn an_evaluation_does_not_depend_on_the_number_of_threads() {
    let report = |threads| json(&["eval", "--policy", "ideal", "--cases", "20", "--threads", threads, "--json"]);
    assert_eq!(report("1"), report("3"));
}

#[test]
fn parts_of_the_reward_add_up_and_a_comparison_is_paired() {
    let report = json(&["eval", "--policy", "checklist", "--compare-with", "random", "--cases", "50", "--json"]);
    let mean = |path: &str| report.pointer(path).and_then(Value::as_f64).unwrap();
    let part = |name: &str| mean(&format!("/reward_parts/{name}/mean"));
    let sum = part("diagnosis") + part("tool_match") - part("exam_cost") - part("turn_cost") - part("penalty");
    assert!((sum - mean("/reward/mean")).abs() < 1e-12);
    let difference = mean("/reward/mean") - mean("/compared_with/reward/mean");
    assert!((difference - mean("/difference/reward/mean")).abs() < 1e-12);
}

#[test]
fn all_agentclinic_rows_are_imported_and_one_is_played() {
    let Some(input) = shared("agentclinic/agentclinic_medqa.jsonl") else { return };
    let cases = folder("import").join("cases.jsonl");
    let cases = cases.to_str().unwrap();
    let report = json(&["cases", "import", "--from", "agentclinic", &input, "--out", cases, "--json"]);
    assert_eq!((&report["rows"], &report["imported"]), (&107.into(), &107.into()));
    assert_eq!(fs::read_to_string(cases).unwrap().lines().count(), 107);
    assert_eq!(stdout(&workup(&["cases", "list", cases])).lines().count(), 107);
    let text = play(&["--cases", cases, "--case", "3", "--seed", "1"], "What brings you in?\n:quit\n");
    assert!(text.contains("imported text") && text.contains("Patient: "), "{text}");
    let missing = workup(&["play", "--cases", cases, "--case", "108"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_bad_row_is_dropped_with_its_line_and_the_rest_is_written() {
    let folder = folder("bad-row");
    let (input, out) = (folder.join("in.jsonl"), folder.join("out.jsonl"));
    let good = r#"{"id":"a:1","demographics":"30-year-old man","complaint":"I cough.","diagnosis":"Cold","facts":[],"exams":[]}"#;
    fs::write(&input, format!("{good}\nnot json\n{good}\n")).unwrap();
    let output =
        workup(&["cases", "import", "--from", "workup", input.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("line `2`"), "{}", stdout(&output));
    assert_eq!(fs::read_to_string(out).unwrap().lines().count(), 2);
}

#[test]
fn generated_cases_are_one_a_line_and_their_codes_play() {
    let text = stdout(&workup(&["cases", "generate", "--count", "3", "--seed", "5"]));
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 3);
    for case in &cases {
        let replay = json(&["replay", case["code"].as_str().unwrap(), "--json"]);
        assert_eq!(replay["exchanges"], Value::Array(Vec::new()));
    }
}

#[test]
fn every_utterance_gets_a_line_of_what_was_understood() {
    let file = folder("understand").join("questions.txt");
    fs::write(&file, "Do you have chest pain?\nColourless green ideas.\n").unwrap();
    let text = stdout(&workup(&["understand", file.to_str().unwrap(), "--json"]));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["understood"], &lines[0]["items"][0]), (&true.into(), &"chest_pain".into()));
    assert_eq!(lines[1]["understood"], false);
}

fn play(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_workup"))
        .arg("play")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    stdout(&output)
}

#[test]
fn a_played_encounter_ends_with_its_reward_and_a_code_that_replays_it() {
    let text = play(
        &["--seed", "7"],
        "Anything else?\n:find ecg\n:order ecg\n:order tricorder\n:dx tricorder\n:cost\n:dx migraine\n",
    );
    for expected in ["The diagnosis was", "Reward (clinic)", "conditions of this simulator", "Not medical advice"] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    let code = text.lines().last().unwrap().rsplit(' ').next().unwrap();
    let replay = json(&["replay", code, "--json"]);
    // What does not exist can neither be ordered nor diagnosed by a slip of the keyboard.
    assert_eq!(replay["exchanges"].as_array().unwrap().len(), 3);
    assert_eq!(replay["ended"], true);
    let broken = workup(&["replay", &code[..code.len() - 3]]);
    assert_eq!(broken.status.code(), Some(2));
}

#[test]
fn a_stray_byte_does_not_end_an_encounter_and_a_code_is_read_from_stdin() {
    let with_input = |arguments: &[&str], input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workup"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = with_input(&["play", "--seed", "7"], b"hello\n\xff\xfe\n:quit\n");
    assert!(output.status.success());
    let text = stdout(&output);
    let code = text.split_whitespace().last().unwrap();
    let output = with_input(&["replay", "-"], format!("{code}\n").as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout(&output).contains("Doctor: hello"));
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_no_success() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [&["digest", "--scenarios", "1"][..], &["cases", "generate", "--count", "3"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workup"));
        let output = command.args(arguments).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("stdout"));
    }
}

#[test]
fn an_import_without_a_good_row_leaves_the_output_alone() {
    let folder = folder("import-nothing");
    let (bad, good) = (folder.join("bad.jsonl"), folder.join("good.jsonl"));
    fs::write(&bad, "{}\n").unwrap();
    fs::write(&good, "precious").unwrap();
    let [bad, good] = [&bad, &good].map(|path| path.to_str().unwrap());
    assert_eq!(workup(&["cases", "import", "--from", "workup", bad, "--out", good]).status.code(), Some(1));
    assert_eq!(workup(&["cases", "import", "--from", "workup", good, "--out", good]).status.code(), Some(2));
    assert_eq!(fs::read_to_string(good).unwrap(), "precious");
}

#[test]
fn metrics_that_differ_in_time_alone_are_identical() {
    let folder = folder("metrics");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let a = write("a.jsonl", "{\"step\":0,\"actor/loss\":0.5,\"timing_s/step\":1.0,\"perf/throughput\":9}\n");
    let b = write("b.jsonl", "{\"step\":0,\"actor/loss\":0.5,\"timing_s/step\":2.0,\"perf/throughput\":8}\n");
    let c = write("c.jsonl", "{\"step\":0,\"actor/loss\":0.6,\"timing_s/step\":1.0,\"perf/throughput\":9}\n");
    assert_eq!(workup(&["metrics", "diff", &a, &b]).status.code(), Some(0));
    assert_eq!(workup(&["metrics", "diff", &a, &c]).status.code(), Some(1));
    assert_eq!(workup(&["metrics", "diff", &a, "none.jsonl"]).status.code(), Some(2));
}

#[test]
fn the_benchmark_reports_both_speeds_under_their_names() {
    let report = json(&["bench", "env", "--episodes", "4", "--seconds", "0.001", "--json"]);
    for key in ["text_turns_per_s", "structured_steps_per_s"] {
        assert!(report[key].as_f64().unwrap() > 0.0, "{key}");
    }
}

/// Kills the server when a test ends, however it ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_page_is_served_on_loopback_and_nothing_beside_it() {
    let folder = folder("serve");
    let dist = folder.join("dist");
    fs::create_dir_all(&dist).unwrap();
    fs::write(dist.join("index.html"), "<p>clinic</p>").unwrap();
    fs::write(dist.join("clinic.wasm"), b"\0asm").unwrap();
    fs::write(folder.join("secret.txt"), "secret").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_workup"))
        .args(["serve", "--port", "0", "--dist", dist.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let _server = Server(child);
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert!(get("/").contains("<p>clinic</p>"));
    assert!(get("/clinic.wasm").contains("application/wasm"));
    let outside = get("/../secret.txt");
    assert!(outside.starts_with("HTTP/1.1 404") && !outside.contains("secret"), "{outside}");
}
