//! What a test sees and sets: one page in one browser. Gestures are in `gestures.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::chromium::Chromium;
use crate::server;

/// How long a condition may take to come true.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long one test may take in all.
const TEST_LIMIT: Duration = Duration::from_secs(120);
/// Between two looks at a condition.
const POLL: Duration = Duration::from_millis(15);

/// A page in a browser of its own. Its functions panic with what they looked for, since they serve tests only.
pub struct Page {
    pub(crate) client: Client,
}

/// Runs a test on a page of its own, and ends the browser whatever happens. A failed test prints the console's messages
/// and, where `CRASHPOINT_SHOTS` names a folder, leaves a picture there. A page that has warned or complained in the console
/// has failed, whatever the test was about.
pub fn with_page<T>(test: impl AsyncFnOnce(&Page) -> T) -> T {
    with_broken_page(async |page| {
        let result = test(page).await;
        assert_eq!(page.console_errors().await, Vec::<String>::new(), "in the console");
        result
    })
}

/// As [`with_page`], where something is broken on purpose and the console may say so.
pub fn with_broken_page<T>(test: impl AsyncFnOnce(&Page) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let chromium = Chromium::start();
    let page = runtime.block_on(Page::connect(&chromium));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            timeout(TEST_LIMIT, test(&page))
                .await
                .expect("the test to end within its time limit")
        });
    }));
    runtime.block_on(async {
        if outcome.is_err() {
            let _ = timeout(PATIENCE, page.report()).await;
        }
        let _ = timeout(PATIENCE, page.client.close()).await;
    });
    drop(chromium);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// A command of Chromium's own protocol, <https://chromedevtools.github.io/devtools-protocol/>, or of its driver.
#[derive(Debug)]
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

impl Page {
    async fn connect(chromium: &Chromium) -> Self {
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(chromium.capabilities())
            .connect(&chromium.address())
            .await
            .unwrap_or_else(|error| panic!("no browser session: {error}"));
        let page = Self { client };
        page.resize(1280, 900).await;
        page
    }

    /// Loads the page afresh with this fragment (with or without `#`) and waits until its program has started. Local
    /// storage stays, as for a reader who comes back.
    pub async fn open(&self, fragment: &str) {
        self.load("/", fragment).await;
        self.wait_until("'started' in document.documentElement.dataset").await;
    }

    /// Loads the page from another path of the server, without waiting for its program.
    pub async fn load(&self, path: &str, fragment: &str) {
        let fragment = fragment.trim_start_matches('#');
        let hash = if fragment.is_empty() { "" } else { "#" };
        // A change of the fragment alone would load nothing.
        self.client.goto("about:blank").await.expect("the empty page");
        let address = format!("{}{path}{hash}{fragment}", server::origin());
        self.client
            .goto(&address)
            .await
            .unwrap_or_else(|error| panic!("cannot open {address}: {error}"));
    }

    /// Runs the body of a JavaScript function and returns its value.
    pub async fn run(&self, script: &str) -> Value {
        self.client
            .execute(script, vec![])
            .await
            .unwrap_or_else(|error| panic!("script failed: {error}\n{script}"))
    }

    /// The value of a JavaScript expression.
    pub async fn value(&self, expression: &str) -> Value {
        self.run(&format!("return ({expression});")).await
    }

    /// Waits until a JavaScript expression is truthy and returns its value. An expression that throws is not yet true.
    pub async fn wait_until(&self, expression: &str) -> Value {
        let script = format!(
            "try {{ const value = ({expression}); return [Boolean(value), value]; }} catch (error) {{ return [false, String(error)]; }}"
        );
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.run(&script).await;
            if answer[0] == true {
                return answer[1].clone();
            }
            assert!(
                Instant::now() < deadline,
                "waited {PATIENCE:?} in vain for `{expression}`; it is {}",
                answer[1]
            );
            sleep(POLL).await;
        }
    }

    /// Waits until a JavaScript expression has this value.
    pub async fn becomes(&self, expression: &str, expected: impl Into<Value>) {
        let expected = expected.into();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let value = self.value(expression).await;
            if value == expected {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "waited {PATIENCE:?} in vain\n   for {expected}\nit is {value}\n    by {expression}"
            );
            sleep(POLL).await;
        }
    }

    /// Waits until what changed is painted: fonts are loaded, and two frames have passed.
    pub async fn settle(&self) {
        let script = "const done = arguments[0]; document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));";
        self.client
            .execute_async(script, vec![])
            .await
            .expect("the page to paint");
    }

    /// Waits for the first element that a CSS selector names and returns its visible text.
    pub async fn text(&self, selector: &str) -> String {
        let found = self
            .wait_until(&format!("[document.querySelector({}).innerText]", json!(selector)))
            .await;
        found[0].as_str().unwrap_or_default().trim().to_owned()
    }

    /// Waits until the first element that a CSS selector names shows this text somewhere.
    pub async fn wait_for_text(&self, selector: &str, text: &str) {
        self.wait_until(&format!(
            "document.querySelector({}).innerText.includes({})",
            json!(selector),
            json!(text)
        ))
        .await;
    }

    /// The address bar's fragment, with `#`; empty without one.
    pub async fn fragment(&self) -> String {
        self.value("location.hash")
            .await
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Sets the size of the viewport in CSS pixels, 1280 x 900 at first. Narrower than a desktop window can be is fine.
    pub async fn resize(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Pretends a touch screen: a coarse pointer that cannot hover.
    pub async fn touch_screen(&self) {
        self.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }))
            .await;
        self.devtools("Emulation.setEmitTouchEventsForMouse", json!({ "enabled": false }))
            .await;
    }

    /// Sets what media queries see, for instance `[("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce")]`.
    pub async fn media(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> = features
            .iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }))
            .await;
    }

    /// Sets the browser's language, for instance `de-DE`; pages that are opened from now on see it.
    pub async fn language(&self, tag: &str) {
        let agent = self.value("navigator.userAgent").await;
        self.devtools(
            "Emulation.setUserAgentOverride",
            json!({ "userAgent": agent, "acceptLanguage": tag }),
        )
        .await;
        self.devtools("Emulation.setLocaleOverride", json!({ "locale": tag }))
            .await;
    }

    /// Sends a command of the DevTools protocol and returns its answer.
    pub async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.driver("goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
            .await
    }

    /// The console's warnings and errors since the last call, among them failed loads and uncaught exceptions.
    pub async fn console_errors(&self) -> Vec<String> {
        self.console()
            .await
            .into_iter()
            .filter(|line| line.starts_with("SEVERE") || line.starts_with("WARNING"))
            .collect()
    }

    /// Writes a picture of the viewport to `NAME.png` if `CRASHPOINT_SHOTS` names a folder.
    pub async fn screenshot(&self, name: &str) {
        let Some(folder) = std::env::var_os("CRASHPOINT_SHOTS").map(PathBuf::from) else {
            return;
        };
        let picture = self.client.screenshot().await.expect("a picture");
        let file = folder.join(format!("{name}.png"));
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, picture))
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
    }

    async fn driver(&self, path: &'static str, body: Value) -> Value {
        let shown = body.to_string();
        self.client
            .issue_cmd(DriverCommand { path, body })
            .await
            .unwrap_or_else(|error| panic!("{path} failed: {error}\n{shown}"))
    }

    async fn console(&self) -> Vec<String> {
        let entries = self.driver("se/log", json!({ "type": "browser" })).await;
        let line = |entry: &Value| {
            format!(
                "{}: {}",
                entry["level"].as_str().unwrap_or("?"),
                entry["message"].as_str().unwrap_or("?")
            )
        };
        entries
            .as_array()
            .map(|entries| entries.iter().map(line).collect())
            .unwrap_or_default()
    }

    /// What helps to understand a failed test.
    async fn report(&self) {
        let name = std::thread::current().name().unwrap_or("test").replace("::", "-");
        println!("the page was {}", self.value("location.href").await);
        for line in self.console().await {
            println!("console {line}");
        }
        self.screenshot(&format!("failed-{name}")).await;
    }
}
