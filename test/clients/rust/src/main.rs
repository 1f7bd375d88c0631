//! kube-rs: Api, Patch::Apply, pages, a watcher that lists and a watcher that streams its list.
//!
//! Takes the kubeconfig from KUBECONFIG; prints "done" on success, otherwise panics.

use futures::{TryStreamExt, pin_mut};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client, Error, ResourceExt};
use serde_json::json;
use std::time::Duration;

const NAMESPACE: &str = "kube-rs";

fn lease(name: &str, holder: &str) -> Lease {
    let renewed: Timestamp = "2026-01-02T03:04:05.678901Z".parse().expect("a time");
    let mut lease = Lease::default();
    lease.metadata.name = Some(name.into());
    lease.spec = Some(LeaseSpec {
        holder_identity: Some(holder.into()),
        lease_duration_seconds: Some(15),
        renew_time: Some(MicroTime(renewed)),
        ..LeaseSpec::default()
    });
    lease
}

fn holder(lease: &Lease) -> &str {
    lease
        .spec
        .as_ref()
        .and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or("")
}

fn code<T>(result: Result<T, Error>) -> u16 {
    match result {
        Err(Error::Api(status)) => status.code,
        Err(error) => panic!("{error}"),
        Ok(_) => 200,
    }
}

async fn typed(api: &Api<Lease>) {
    let created = api
        .create(&PostParams::default(), &lease("typed", "me"))
        .await
        .expect("create");
    let mut got = api.get("typed").await.expect("get");
    assert_eq!(got, created);
    assert_eq!(
        got.spec.as_ref().unwrap().renew_time,
        lease("typed", "me").spec.unwrap().renew_time
    );
    assert_eq!(
        code(
            api.create(&PostParams::default(), &lease("typed", "me"))
                .await
        ),
        409
    );
    got.spec.as_mut().unwrap().holder_identity = Some("other".into());
    let replaced = api
        .replace("typed", &PostParams::default(), &got)
        .await
        .expect("replace");
    assert_eq!(holder(&replaced), "other");
    assert_eq!(
        code(api.replace("typed", &PostParams::default(), &got).await),
        409
    );
    let merge = json!({"spec": {"holderIdentity": "merged", "renewTime": null}});
    let merged = api
        .patch("typed", &PatchParams::default(), &Patch::Merge(&merge))
        .await
        .expect("merge");
    assert_eq!(
        (
            holder(&merged),
            merged.spec.as_ref().unwrap().renew_time.is_none()
        ),
        ("merged", true)
    );
    api.delete("typed", &DeleteParams::default())
        .await
        .expect("delete");
    assert_eq!(code(api.get("typed").await), 404);
}

async fn apply(api: &Api<Lease>) {
    let document = |holder: &str| {
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "applied"}, "spec": {"holderIdentity": holder},
        })
    };
    api.patch(
        "applied",
        &PatchParams::apply("one"),
        &Patch::Apply(document("a")),
    )
    .await
    .expect("apply");
    assert_eq!(
        code(
            api.patch(
                "applied",
                &PatchParams::apply("two"),
                &Patch::Apply(document("b"))
            )
            .await
        ),
        409
    );
    let forced = PatchParams::apply("two").force();
    let lease = api
        .patch("applied", &forced, &Patch::Apply(document("b")))
        .await
        .expect("forced apply");
    assert_eq!(holder(&lease), "b");
    let managers: Vec<_> = lease
        .managed_fields()
        .iter()
        .filter_map(|entry| entry.manager.clone())
        .collect();
    assert_eq!(managers, ["two"]);
}

async fn pages(api: &Api<Lease>) {
    for number in 0..7 {
        let name = format!("page-{number}");
        api.create(&PostParams::default(), &lease(&name, "me"))
            .await
            .expect("create");
    }
    let (mut names, mut token) = (vec![], None::<String>);
    loop {
        let mut params = ListParams::default().limit(3);
        params.continue_token = token.take();
        let page = api.list(&params).await.expect("list");
        names.extend(page.items.iter().map(ResourceExt::name_any));
        token = page.metadata.continue_.filter(|token| !token.is_empty());
        if token.is_none() {
            break;
        }
    }
    assert_eq!(names.len(), 8, "{names:?}");
    api.delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .expect("delete collection");
    assert!(
        api.list(&ListParams::default())
            .await
            .expect("list")
            .items
            .is_empty()
    );
}

async fn watched(api: &Api<Lease>, config: Config) {
    api.create(&PostParams::default(), &lease("before", "me"))
        .await
        .expect("create");
    let events = watcher(api.clone(), config);
    pin_mut!(events);
    let mut seen = vec![];
    while let Some(event) = events.try_next().await.expect("a watch") {
        match event {
            Event::Init => seen.push("init".to_string()),
            Event::InitApply(lease) => seen.push(format!("init {}", lease.name_any())),
            Event::InitDone => {
                seen.push("initialised".to_string());
                api.create(&PostParams::default(), &lease("after", "me"))
                    .await
                    .expect("create");
                api.delete("before", &DeleteParams::default())
                    .await
                    .expect("delete");
                api.delete("after", &DeleteParams::default())
                    .await
                    .expect("delete");
            }
            Event::Apply(lease) => seen.push(format!("apply {}", lease.name_any())),
            Event::Delete(lease) => seen.push(format!("delete {}", lease.name_any())),
        }
        if seen.last().is_some_and(|last| last == "delete after") {
            break;
        }
    }
    assert_eq!(
        seen,
        [
            "init",
            "init before",
            "initialised",
            "apply after",
            "delete before",
            "delete after"
        ]
    );
}

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.expect("a client");
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(NAMESPACE.into());
    Api::<Namespace>::all(client.clone())
        .create(&PostParams::default(), &namespace)
        .await
        .expect("create");
    let api = Api::<Lease>::namespaced(client, NAMESPACE);
    let steps = async {
        typed(&api).await;
        println!("typed");
        apply(&api).await;
        println!("apply");
        pages(&api).await;
        println!("pages");
        watched(&api, Config::default().page_size(2)).await;
        println!("watched");
        watched(&api, Config::default().streaming_lists()).await;
        println!("streamed");
    };
    tokio::time::timeout(Duration::from_secs(60), steps)
        .await
        .expect("within a minute");
    println!("done");
}
