//! Tests the election of docs/clients/rust.md, as tests/election.rs beside it. Needs `http = "1"` as a dev-dependency.

#[allow(dead_code)]
#[path = "../src/elect.rs"]
mod elect;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, MutexGuard, oneshot, watch};
use tokio::time::timeout;

// As in production, only faster: what the election finds in main.rs there.
const NAMESPACE: &str = "default";
const LEASE_DURATION: Duration = Duration::from_secs(3);
const RENEW_DEADLINE: Duration = Duration::from_millis(700);
const RETRY_PERIOD: Duration = Duration::from_millis(50);
const TIMEOUT: Duration = Duration::from_millis(200);

const RENEWALS: &str = r#""verb":"update","resource":"leases","name":"nightly-report""#;

/// The kubeconfig of a server that ends with this process.
static KUBECONFIG: LazyLock<String> = LazyLock::new(|| {
    let command = std::env::var("LEASE_TEST_SERVER").unwrap_or("lease-test-server".into());
    let mut words = command.split(' ');
    let file = std::env::temp_dir().join(format!("lease-server-{}", std::process::id()));
    let server = Command::new(words.next().unwrap())
        .args(words)
        .arg(format!("--kubeconfig-out={}", file.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let server = Box::leak(Box::new(server)); // so that its input stays open
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("ready"));
    std::fs::read_to_string(file).unwrap()
});

async fn connect() -> Client {
    let kubeconfig = Kubeconfig::from_yaml(&KUBECONFIG).unwrap();
    Client::try_from(Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()).unwrap()
}

/// Tells the server what is to happen; docs/testing.md has all orders.
async fn order(path: &str, body: &str) {
    let request = http::Request::post(format!("/testing/{path}")).body(body.as_bytes().to_vec()).unwrap();
    connect().await.request_text(request).await.unwrap();
}

async fn read(path: &str) -> String {
    let request = http::Request::get(format!("/testing/{path}")).body(vec![]).unwrap();
    connect().await.request_text(request).await.unwrap()
}

async fn fault(effect: &str) {
    order("faults", &format!("{{{RENEWALS},{effect}}}")).await;
}

struct Candidate {
    leads: oneshot::Receiver<()>,
    /// Ends when the work is dropped.
    stopped: oneshot::Receiver<()>,
    stop: watch::Sender<bool>,
}

async fn candidate(identity: &str) -> Candidate {
    let (lead, leads) = oneshot::channel();
    let (work, stopped) = oneshot::channel::<()>();
    let (stop, told) = watch::channel(false);
    let (client, identity) = (connect().await, identity.to_string());
    tokio::spawn(async move {
        let work = |_token, _until| async move {
            let _dropped_with_the_work = work;
            let _ = lead.send(());
            std::future::pending::<()>().await;
        };
        let _ = elect::run(client, told, identity, work).await;
    });
    Candidate { leads, stopped, stop }
}

/// The lease is the same in all tests.
async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    let guard = ALONE.lock().await;
    order("reset", "{}").await;
    guard
}

async fn soon<T>(event: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(10), event).await.expect("nothing happened for ten seconds")
}

#[tokio::test]
async fn lost_while_working() {
    let _alone = alone().await;
    let mut a = candidate("a").await;
    soon(&mut a.leads).await.unwrap();
    order("leases/take-over", r#"{"name":"nightly-report","holder":"somebody-else"}"#).await;
    let _ = soon(&mut a.stopped).await;
}

#[tokio::test]
async fn slow_renewal() {
    let _alone = alone().await;
    let mut a = candidate("a").await;
    soon(&mut a.leads).await.unwrap();
    let began = Instant::now();
    fault(r#""hang":true,"count":100"#).await;
    let _ = soon(&mut a.stopped).await;
    assert!(began.elapsed() < LEASE_DURATION, "another candidate may lead by then");
}

#[tokio::test]
async fn two_candidates() {
    let _alone = alone().await;
    let mut a = candidate("a").await;
    soon(&mut a.leads).await.unwrap();
    let mut b = candidate("b").await;
    a.stop.send(true).unwrap();
    let _ = soon(&mut a.stopped).await;
    soon(&mut b.leads).await.unwrap();
}

#[tokio::test]
async fn restart() {
    let _alone = alone().await;
    order("leases/take-over", r#"{"name":"nightly-report","holder":"a"}"#).await;
    soon(candidate("a").await.leads).await.unwrap();
}

#[tokio::test]
async fn refusal() {
    let _alone = alone().await;
    let mut a = candidate("a").await;
    soon(&mut a.leads).await.unwrap();
    for effect in [r#""status":409"#, r#""status":503"#, r#""cut":"after""#] {
        fault(effect).await;
        while read("faults").await != "[]\n" || !read("requests?verb=update").await.ends_with("\"status\":200}]\n") {
            assert!(timeout(Duration::from_millis(10), &mut a.stopped).await.is_err(), "every refusal could be tried again");
        }
    }
}
