//! The page in a real browser: headless Chromium, through its `chromedriver`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use informer::debug::Service;
use informer::{Controller, ObjectKey};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::send;
use crate::assets::require::need;
use crate::support::{Cluster, within};

/// Browser that a driver controls. Both end when the value is dropped.
struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
}

// === impl Browser ===

impl Browser {
    async fn start(driver: PathBuf) -> Self {
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = within("the driver", lines.next_line())
                .await
                .unwrap()
                .unwrap();
            if let Some((_, port)) = line.split_once("successfully on port ") {
                break port.trim_end_matches('.').parse().unwrap();
            }
        };
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage"
        ]);
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments }, "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let mut this = Self {
            driver,
            address: ([127, 0, 0, 1], port).into(),
            session: "/session".to_owned(),
        };
        let session = this.call("", capabilities).await;
        this.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        this.call("/timeouts", json!({ "script": 60_000 })).await;
        this
    }

    /// Sends a command of the `WebDriver` protocol.
    async fn call(&self, command: &str, body: Value) -> Value {
        let (body, path) = (body.to_string(), &self.session);
        let request = format!(
            "POST {path}{command} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}",
            body.len()
        );
        let (head, answer) = send(self.address, &request, &body, "").await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(head.starts_with("HTTP/1.1 200 "), "{command}: {answer}");
        answer["value"].clone()
    }

    async fn chrome(&self, command: &str, parameters: Value) {
        let body = json!({ "cmd": command, "params": parameters });
        self.call("/goog/cdp/execute", body).await;
    }

    async fn shape(&self, width: u32, scheme: &str) {
        let metrics =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.chrome("Emulation.setDeviceMetricsOverride", metrics)
            .await;
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.chrome(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        )
        .await;
    }

    async fn open(&self, url: &str) {
        self.call("/url", json!({ "url": url })).await;
    }

    async fn run(&self, script: &str) -> Value {
        self.call("/execute/sync", json!({ "script": script, "args": [] }))
            .await
    }

    /// Waits until an expression is true on the page, which is looked at after each of its changes.
    async fn until(&self, expression: &str) {
        let script = format!(
            "const done = arguments[0]; \
             const look = () => {{ if ({expression}) {{ changes.disconnect(); done(true); }} }}; \
             const changes = new MutationObserver(look); \
             const all = {{ subtree: true, childList: true, characterData: true, attributes: true }}; \
             changes.observe(document, all); look();"
        );
        let body = json!({ "script": script, "args": [] });
        within(expression, self.call("/execute/async", body)).await;
    }

    /// Waits until an element has this text.
    async fn shows(&self, selector: &str, text: &str) {
        let text_of = format!("document.querySelector('{selector}')?.innerText ?? ''");
        self.until(&format!("({text_of}).includes('{text}')")).await;
    }

    /// Presses Enter on an element, and waits for the page that it leads to.
    async fn enter(&self, selector: &str) {
        let body = json!({ "using": "css selector", "value": selector });
        let found = self.call("/element", body).await;
        let element = found.as_object().unwrap().values().next().unwrap();
        let element = element.as_str().unwrap().to_owned();
        let enter = json!({ "text": "\u{e007}" });
        self.call(&format!("/element/{element}/value"), enter).await;
    }

    async fn end(&self) {
        let request = format!("DELETE {} HTTP/1.1\r\nHost: localhost", self.session);
        send(self.address, &request, "", "").await;
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Of a failed test too: the driver and what it has started are one group of processes.
        let group = self.driver.id().map(|id| format!("-{id}"));
        let kill = |group| {
            std::process::Command::new("kill")
                .args(["-9", "--", group])
                .status()
        };
        let _killed = group.as_deref().map(kill);
    }
}

/// D-04: an informer degrades and recovers on the page, a key leads to its reasons, and the page fits
/// each width and colour scheme.
#[tokio::test]
async fn d04_a_browser_follows_an_outage_and_a_key() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("chromedriver"));
    let found = found.into_iter().find(|file| file.is_file());
    let found = found.ok_or_else(|| "there is no chromedriver on the PATH".to_owned());
    let Some(driver) = need("browser", found) else {
        return;
    };
    let mut cluster = Cluster::start().await;
    cluster.create("web", "1");
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let controller: Controller<_, std::io::Error> = Controller::new("maps", &maps);
    let queue = controller.handle().queue().clone();
    let debug = Service::new(&factory)
        .controller(&controller.handle())
        .show(&maps);
    let address = debug.serve("127.0.0.1:0").await.unwrap();
    factory.start().unwrap();
    let running = controller.run(Arc::new(()), |_, _| async { Ok(()) });
    let looking = async {
        let page = format!("http://{address}/");
        let browser = Browser::start(driver).await;
        let mut colours = Vec::new();
        for (width, scheme) in [
            (390, "light"),
            (1280, "light"),
            (390, "dark"),
            (1280, "dark"),
        ] {
            browser.shape(width, scheme).await;
            browser.open(&page).await;
            browser.shows("#live", "live").await;
            browser.shows("#informers .pill.good", "synced").await;
            let script = "const page = document.documentElement; \
                          return [innerWidth, page.scrollWidth - page.clientWidth, \
                          getComputedStyle(document.body).backgroundColor]";
            let found = browser.run(script).await;
            assert_eq!(found[0], width);
            assert_eq!(found[1], 0, "the page is wider than the window");
            colours.push(found[2].clone());

            cluster.server.stop_listening().await;
            browser.shows("#informers .pill.warn", "degraded").await;
            browser.shows("#informers .cause", "refused").await;
            browser.shows("#summary", "Ready, with faults").await;
            cluster.server.listen().await.unwrap();
            browser.shows("#informers .pill.good", "synced").await;

            queue.add(ObjectKey::namespaced("default", "web"));
            browser.shows("#controllers", "added by the program").await;
            // By keyboard: the focus survives the updates of the page.
            let link = "document.querySelector('#controllers tbody a')";
            let clock = "document.querySelector('#summary .quiet').innerText";
            browser.run(&format!("{link}.focus()")).await;
            let before = browser.run(&format!("return {clock}")).await;
            browser.until(&format!("{clock} !== {before}")).await;
            let focused = browser
                .run(&format!("return document.activeElement === {link}"))
                .await;
            assert_eq!(focused, true);
            browser.enter("#controllers tbody a").await;
            browser.shows("h2", "Why was it queued?").await;
            browser.shows("table", "added by the program").await;
            browser.enter("a.button").await;
            browser.shows("pre", "ConfigMap").await;
        }
        assert_eq!(colours[0], colours[1]);
        assert_ne!(colours[0], colours[2], "the page follows the colour scheme");
        let log = browser.call("/se/log", json!({ "type": "browser" })).await;
        let is_error = |line: &&Value| line["level"] == "SEVERE";
        let errors: Vec<_> = log.as_array().unwrap().iter().filter(is_error).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        browser.end().await;
        queue.shut_down();
    };
    let (ended, ()) = futures::join!(running, looking);
    ended.unwrap();
    factory.shutdown().await;
    cluster.server.shutdown().await;
}
