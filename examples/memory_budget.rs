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
use std::io::{BufRead as _, BufReader, Write as _, stdin};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use informer::factory::Budget;
use informer::{ResourceVersion, Selector, SharedInformer, SharedInformerFactory, Tiered};
use informer_apiserver::{ApiServer, Control};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;

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
    if ALLOCATOR
        .iter()
        .any(|(name, _)| env::var_os(name).is_none())
    {
        // glibc reads them when a process starts.
        let mut program = Command::new(env::current_exe()?);
        let status = program
            .args(env::args_os().skip(1))
            .envs(ALLOCATOR)
            .status()?;
        return Ok(ExitCode::from(u8::from(!status.success())));
    }
    let budget = number("--budget", 192)? << 20;
    let large = number("--large", 700)?;
    let small = number("--small", 100_000)?;
    let mut cluster = Cluster::start()?;
    let factory = SharedInformerFactory::builder(informer::connect(cluster.config().await?)?)
        .memory(Budget::bytes(budget))
        .build()?;
    let configs = factory.stored_as::<Tiered>().informer::<ConfigMap>();
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    let mut chart = Vec::new();
    for (kind, count, bytes) in [("large", large, LARGE_BYTES), ("small", small, SMALL_BYTES)] {
        let last = cluster.attack(kind, count, bytes)?;
        let reached = configs.wait_for_resource_version(&last, Duration::from_secs(600));
        let mut reached = std::pin::pin!(reached);
        while tokio::time::timeout(Duration::from_millis(500), &mut reached)
            .await
            .is_err()
        {
            show(&factory, &configs, kind, &mut chart)?;
        }
        show(&factory, &configs, kind, &mut chart)?;
    }
    let wanted = large + small.min(SMALL_READS);
    let right = read_all(&factory, &configs, large, &mut chart).await?;
    factory.shutdown().await;
    draw(&chart, budget);
    let peak = memory("VmHWM:")?;
    let complete = configs.len() == large + small;
    println!(
        "budget {} MiB, peak {} MiB, {right} of {wanted} reads right",
        budget >> 20,
        peak >> 20
    );
    let holds = peak <= budget / 3 * 4 && right == wanted && complete;
    Ok(ExitCode::from(u8::from(!holds)))
}

/// Reads all large objects and some small ones. Returns the number of right answers.
async fn read_all(
    factory: &SharedInformerFactory,
    configs: &SharedInformer<ConfigMap, Tiered>,
    large: usize,
    chart: &mut Vec<usize>,
) -> Result<usize> {
    let mut right = 0;
    for kind in ["large", "small"] {
        let of_kind: Selector = format!("kind={kind}").parse()?;
        let objects = configs.lister().list(&of_kind);
        let wanted = if kind == "large" { large } else { SMALL_READS };
        let step = (objects.len() / wanted.max(1)).max(1);
        for (done, object) in objects.iter().step_by(step).take(wanted).enumerate() {
            let config = object.load().await?;
            let data = config.data.as_ref().and_then(|data| data.get("noise"));
            let expected = noise(object.key().name(), data.map_or(0, String::len));
            right += usize::from(data == Some(&expected) && !expected.is_empty());
            if done % 100 == 0 {
                show(factory, configs, "reads", chart)?;
            }
        }
    }
    Ok(right)
}

/// Prints the live line, and adds a point to the chart.
fn show(
    factory: &SharedInformerFactory,
    configs: &SharedInformer<ConfigMap, Tiered>,
    phase: &str,
    chart: &mut Vec<usize>,
) -> Result<()> {
    let resident = memory("VmRSS:")?;
    chart.push(resident);
    let objects = configs.len();
    let evicted = configs.storage().memory().evicted;
    let loads = configs.metrics().load_duration.count();
    print!(
        "\r{phase}: {objects} objects, {evicted} evicted, {loads} loads, {} MiB counted, {} resident   ",
        factory.memory().used >> 20,
        resident >> 20
    );
    Ok(std::io::stdout().flush()?)
}

/// Draws resident memory over time; a row has the width of the budget.
fn draw(chart: &[usize], budget: usize) {
    const WIDTH: usize = 60;
    println!("\nresident memory over time, `|` is the budget:");
    for point in chart.iter().step_by(chart.len() / 20 + 1) {
        let bar = "#".repeat(point * WIDTH / budget);
        println!("{:>5} MiB {bar:<WIDTH$}|", point >> 20);
    }
}

/// API server in another process, which obeys lines on its standard input.
struct Cluster {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
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
        let config: Kubeconfig = serde_json::from_str(&self.answer()?)?;
        Ok(Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await?)
    }

    /// Creates objects. Returns the version of the last one.
    fn attack(&mut self, kind: &str, count: usize, bytes: usize) -> Result<ResourceVersion> {
        let input = self
            .process
            .stdin
            .as_mut()
            .ok_or("the server has an input")?;
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
        stdin()
            .lines()
            .try_for_each(|order| obey(&control, &order?))
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
    let seed = name
        .bytes()
        .fold(0, |seed: u64, byte| seed * 31 + u64::from(byte));
    let mut random = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| random.alphanumeric())
        .take(bytes)
        .collect()
}

/// Returns a number of the command line.
fn number(name: &str, default: usize) -> Result<usize> {
    let mut arguments = env::args().skip_while(|argument| argument != name).skip(1);
    arguments
        .next()
        .map_or(Ok(default), |number| Ok(number.parse()?))
}

/// Returns a line of `/proc/self/status`, in bytes.
fn memory(line: &str) -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let value = status.lines().find_map(|text| text.strip_prefix(line));
    let kib: usize = value
        .and_then(|value| value.split_whitespace().next())
        .unwrap_or("0")
        .parse()?;
    Ok(kib << 10)
}
