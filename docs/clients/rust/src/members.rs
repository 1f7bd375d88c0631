use crate::{NAMESPACE, TIMEOUT};
use futures::StreamExt;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use std::{collections::HashMap, error::Error, process::ExitCode, time::Duration};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

const GROUP: &str = "workers";
const DURATION: i32 = 10; // seconds
const BEAT: Duration = Duration::from_secs(3);

pub async fn run(client: Client, mut told: watch::Receiver<bool>, member: String) -> Result<ExitCode, Box<dyn Error>> {
    let api = Api::<Lease>::namespaced(client, NAMESPACE);
    let name = format!("{GROUP}-{member}");
    let beats = tokio::spawn(keep_alive(api.clone(), name.clone(), member));
    let (leases, writer) = reflector::store();
    let events = watcher(api.clone(), watcher::Config::default().labels(&format!("group={GROUP}")));
    tokio::spawn(reflector(writer, events.default_backoff()).for_each(async |event| {
        if let Err(error) = event {
            eprintln!("watching again: {error}");
        }
    }));

    let mut seen = HashMap::new();
    let mut shown = String::new();
    loop {
        let mut alive: Vec<_> = leases.state().iter().filter_map(|lease| alive(lease, &mut seen)).collect();
        alive.sort();
        if alive.join(" ") != shown {
            shown = alive.join(" ");
            println!("members {shown}");
        }
        tokio::select! {
            _ = told.wait_for(|told| *told) => break,
            _ = sleep(Duration::from_secs(1)) => {}
        }
    }
    beats.abort();
    timeout(TIMEOUT, api.delete(&name, &DeleteParams::default())).await??;
    Ok(ExitCode::SUCCESS)
}

/// The holder of a lease that has changed lately.
fn alive(lease: &Lease, seen: &mut HashMap<String, (String, Instant)>) -> Option<String> {
    let version = lease.resource_version().unwrap_or_default();
    let last = seen.entry(lease.name_any()).or_insert_with(|| (version.clone(), Instant::now()));
    if last.0 != version {
        *last = (version, Instant::now());
    }
    let spec = lease.spec.as_ref()?;
    let duration = Duration::from_secs(spec.lease_duration_seconds? as u64);
    (last.1.elapsed() < duration).then(|| spec.holder_identity.clone())?
}

async fn keep_alive(api: Api<Lease>, name: String, member: String) {
    loop {
        match timeout(BEAT, beat(&api, &name, &member)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => eprintln!("trying again: {error:?}"),
            Err(_) => eprintln!("trying again: no answer in time"),
        }
        sleep(BEAT).await;
    }
}

/// A patch without a resourceVersion, so that it does not matter whether the answer to the last one got lost.
async fn beat(api: &Api<Lease>, name: &str, member: &str) -> kube::Result<()> {
    let now = MicroTime(Timestamp::now());
    let patch = json!({"spec": {"renewTime": now}});
    match api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        other => return other.map(|_| ()),
    }
    let mut lease = Lease::default();
    lease.metadata.name = Some(name.into());
    lease.metadata.labels = Some([("group".to_string(), GROUP.to_string())].into());
    lease.spec = Some(LeaseSpec {
        holder_identity: Some(member.into()),
        lease_duration_seconds: Some(DURATION),
        renew_time: Some(now),
        ..LeaseSpec::default()
    });
    api.create(&PostParams::default(), &lease).await.map(|_| ())
}
