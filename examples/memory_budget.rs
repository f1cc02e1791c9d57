//! Keeps a memory budget while a tenant fills the cluster with large objects.
//!
//! ```console
//! $ cargo run --release --example memory_budget
//! ```
//!
//! The API server runs in a process of its own, so that the memory of this one is the program's. An
//! informer with `Tiered` storage caches all `ConfigMap`s. A tenant creates 700 of 900 KB each, then
//! 100,000 small ones, each with a controller of its own. Every object stays in the cache, and
//! every read is checked: an object whose body was evicted comes back by a GET. The last line
//! reports the budget, the peak of resident memory and the number of right reads; the exit status
//! is 1 if the peak exceeds the budget by a third, or if a read is wrong. `--budget MIB`,
//! `--large N` and `--small N` set other numbers.

use std::env;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _, stdin, stdout};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::Duration;

use informer::factory::Budget;
use informer::{ResourceVersion, Selector, SharedInformer, SharedInformerFactory, Tiered};
use informer_apiserver::{ApiServer, Control};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;
use tokio::time::timeout;

const LARGE_BYTES: usize = 900_000;
const SMALL_BYTES: usize = 300;
/// Number of small objects that are read. All large ones are read.
const SMALL_READS: usize = 2000;

/// Settings of glibc's allocator. By default it keeps much of the memory between evicted bodies.
const ALLOCATOR: [(&str, &str); 2] = [
    ("MALLOC_ARENA_MAX", "2"),
    ("MALLOC_MMAP_THRESHOLD_", "131072"),
];

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    if env::args().any(|argument| argument == "--serve") {
        serve().await?;
        return Ok(ExitCode::SUCCESS);
    }
    let has_settings = ALLOCATOR
        .iter()
        .all(|(name, _)| env::var_os(name).is_some());
    if !has_settings {
        // glibc reads them when a process starts.
        let status = Command::new(env::current_exe()?)
            .args(env::args_os().skip(1))
            .envs(ALLOCATOR)
            .status()?;
        return Ok(exit_code(status.success()));
    }
    let budget = number("--budget", 192)? << 20;
    let large = number("--large", 700)?;
    let small = number("--small", 100_000)?;
    let mut cluster = Cluster::start()?;
    let client = informer::connect(cluster.config().await?)?;
    let factory = SharedInformerFactory::builder(client)
        .memory(Budget::bytes(budget))
        .build()?;
    let configs = factory.stored_as::<Tiered>().informer::<ConfigMap>();
    factory.start()?;
    factory.wait_for_cache_sync().await?;

    let mut monitor = Monitor {
        factory: factory.clone(),
        configs: configs.clone(),
        chart: Vec::new(),
    };
    let last_large = cluster.attack("large", large, LARGE_BYTES)?;
    monitor.follow("large", &last_large).await?;
    let last_small = cluster.attack("small", small, SMALL_BYTES)?;
    monitor.follow("small", &last_small).await?;
    let mut right = monitor.read("large", large).await?;
    right += monitor.read("small", SMALL_READS).await?;
    factory.shutdown().await;

    monitor.draw(budget);
    let peak = memory("VmHWM:")?;
    let wanted = large + small.min(SMALL_READS);
    println!(
        "budget {} MiB, peak {} MiB, {right} of {wanted} reads right",
        budget >> 20,
        peak >> 20
    );
    let is_complete = configs.len() == large + small;
    let holds = peak <= budget / 3 * 4;
    Ok(exit_code(holds && is_complete && right == wanted))
}

fn exit_code(success: bool) -> ExitCode {
    if success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Observer of the cache and of the memory of this process.
struct Monitor {
    factory: SharedInformerFactory,
    configs: SharedInformer<ConfigMap, Tiered>,
    /// Resident memory over time, in bytes.
    chart: Vec<usize>,
}

impl Monitor {
    /// Waits until the cache has this version.
    async fn follow(&mut self, kind: &str, version: &ResourceVersion) -> Result<()> {
        let configs = self.configs.clone();
        let reached = configs.wait_for_resource_version(version, Duration::from_secs(600));
        tokio::pin!(reached);
        while timeout(Duration::from_millis(500), &mut reached)
            .await
            .is_err()
        {
            self.show(kind)?;
        }
        self.show(kind)
    }

    /// Reads up to `wanted` objects of a kind. Returns the number of right answers.
    async fn read(&mut self, kind: &str, wanted: usize) -> Result<usize> {
        let of_kind: Selector = format!("kind={kind}").parse()?;
        let objects = self.configs.lister().list(&of_kind);
        let step = (objects.len() / wanted.max(1)).max(1);
        let mut right = 0;
        for (done, object) in objects.iter().step_by(step).take(wanted).enumerate() {
            let config = object.load().await?;
            if is_right(object.key().name(), &config) {
                right += 1;
            }
            if done % 100 == 0 {
                self.show("reads")?;
            }
        }
        Ok(right)
    }

    /// Prints the live line, and adds a point to the chart.
    fn show(&mut self, phase: &str) -> Result<()> {
        let resident = memory("VmRSS:")?;
        self.chart.push(resident);
        let objects = self.configs.len();
        let evicted = self.configs.storage().memory().evicted;
        let loads = self.configs.metrics().load_duration.count();
        print!(
            "\r{phase}: {objects} objects, {evicted} evicted, {loads} loads, {} MiB counted, {} resident   ",
            self.factory.memory().used >> 20,
            resident >> 20
        );
        stdout().flush()?;
        Ok(())
    }

    /// Draws resident memory over time; a row has the width of the budget.
    fn draw(&self, budget: usize) {
        const WIDTH: usize = 60;
        println!("\nresident memory over time, `|` is the budget:");
        let step = self.chart.len() / 20 + 1;
        for point in self.chart.iter().step_by(step) {
            let bar = "#".repeat(point * WIDTH / budget);
            println!("{:>5} MiB {bar:<WIDTH$}|", point >> 20);
        }
    }
}

/// Reports whether an object has the content that it was created with.
fn is_right(name: &str, config: &ConfigMap) -> bool {
    let data = config.data.as_ref();
    let Some(found) = data.and_then(|data| data.get("noise")) else {
        return false;
    };
    !found.is_empty() && *found == noise(name, found.len())
}

/// API server in another process, which obeys lines on its standard input.
struct Cluster {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Cluster {
    fn start() -> Result<Self> {
        let mut process = Command::new(env::current_exe()?)
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = process.stdout.take().ok_or("the server has an output")?;
        Ok(Self {
            process,
            answers: BufReader::new(answers),
        })
    }

    async fn config(&mut self) -> Result<Config> {
        let kubeconfig: Kubeconfig = serde_json::from_str(&self.answer()?)?;
        let options = KubeConfigOptions::default();
        Ok(Config::from_custom_kubeconfig(kubeconfig, &options).await?)
    }

    /// Creates objects. Returns the version of the last one.
    fn attack(&mut self, kind: &str, count: usize, bytes: usize) -> Result<ResourceVersion> {
        let Some(input) = &mut self.process.stdin else {
            return Err("the server has an input".into());
        };
        writeln!(input, "{kind} {count} {bytes}")?;
        Ok(self.answer()?.trim().into())
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}

async fn serve() -> Result<()> {
    let server = ApiServer::builder()
        .create_namespaces(true)
        .event_window(2000)
        .start()
        .await?;
    let config: serde_json::Value = serde_json::from_str(&server.kubeconfig())?;
    println!("{config}");
    let control = server.control();
    let orders = move || {
        for order in stdin().lines() {
            obey(&control, &order?)?;
        }
        Ok(())
    };
    tokio::task::spawn_blocking(orders).await?
}

/// Creates the objects of a line such as `large 700 900000`, and prints the last version.
fn obey(control: &Control, order: &str) -> Result<()> {
    let words: Vec<&str> = order.split(' ').collect();
    let [kind, count, bytes] = words[..] else {
        return Err("an order has three words".into());
    };
    for number in 0..count.parse()? {
        let name = format!("{kind}-{number}");
        control.create_direct(json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": name,
                "namespace": "tenant",
                "labels": { "kind": kind },
                // Each has a controller of its own, as the Pods of Jobs have.
                "ownerReferences": [{
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "name": name,
                    "uid": format!("{name}-job"),
                    "controller": true,
                }],
            },
            "data": { "noise": noise(&name, bytes.parse()?) },
        }))?;
    }
    println!("{}", control.current_resource_version());
    Ok(())
}

/// Returns text that does not compress, another one for each name.
fn noise(name: &str, bytes: usize) -> String {
    let mut seed: u64 = 0;
    for byte in name.bytes() {
        seed = seed * 31 + u64::from(byte);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| random.alphanumeric())
        .take(bytes)
        .collect()
}

/// Returns a number of the command line.
fn number(name: &str, default: usize) -> Result<usize> {
    let mut arguments = env::args().skip_while(|argument| argument != name);
    match arguments.nth(1) {
        Some(number) => Ok(number.parse()?),
        None => Ok(default),
    }
}

/// Returns a line of `/proc/self/status`, in bytes.
fn memory(line: &str) -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let Some(value) = status.lines().find_map(|text| text.strip_prefix(line)) else {
        return Ok(0);
    };
    let number = value.split_whitespace().next().unwrap_or("0");
    let kib: usize = number.parse()?;
    Ok(kib << 10)
}
