"""The Kubernetes project's Python client: typed calls, every patch type, apply, pages, the dynamic client and a watch.

    official.py KUBECONFIG

Prints "done" when everything was as it should be; ends with a traceback and exit code 1 otherwise.
"""

import sys
import threading
from datetime import datetime, timezone

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "python"


def lease(name, holder):
    spec = client.V1LeaseSpec(
        holder_identity=holder, lease_duration_seconds=15, renew_time=datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc)
    )
    return client.V1Lease(metadata=client.V1ObjectMeta(name=name, labels={"app": "python"}), spec=spec)


def status_of(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiException as error:
        return error.status
    return None


def typed(api):
    created = api.create_namespaced_lease(NAMESPACE, lease("typed", "me"))
    got = api.read_namespaced_lease("typed", NAMESPACE)
    assert got == created
    assert got.spec.renew_time == datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc)
    assert status_of(api.create_namespaced_lease, NAMESPACE, lease("typed", "me")) == 409
    got.spec.holder_identity = "other"
    api.replace_namespaced_lease("typed", NAMESPACE, got)
    assert status_of(api.replace_namespaced_lease, "typed", NAMESPACE, got) == 409
    patched = api.patch_namespaced_lease("typed", NAMESPACE, {"spec": {"holderIdentity": "patched"}})
    assert patched.spec.holder_identity == "patched"
    operations = [{"op": "replace", "path": "/spec/holderIdentity", "value": "json"}]
    assert api.patch_namespaced_lease("typed", NAMESPACE, operations).spec.holder_identity == "json"
    api.delete_namespaced_lease("typed", NAMESPACE)
    assert status_of(api.read_namespaced_lease, "typed", NAMESPACE) == 404
    assert status_of(api.create_namespaced_lease, NAMESPACE, lease("No", "me")) == 422


def apply(api):
    manifest = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "applied"},
        "spec": {"holderIdentity": "a"},
    }
    leases = dynamic.DynamicClient(api.api_client).resources.get(api_version="coordination.k8s.io/v1", kind="Lease")
    leases.server_side_apply(body=manifest, namespace=NAMESPACE, field_manager="one")
    manifest["spec"]["holderIdentity"] = "b"
    try:
        leases.server_side_apply(body=manifest, namespace=NAMESPACE, field_manager="two")
        raise AssertionError("a conflicting apply went through")
    except dynamic.exceptions.ConflictError as error:
        assert 'conflict with \\"one\\": .spec.holderIdentity' in str(error.body), error.body
    forced = leases.server_side_apply(body=manifest, namespace=NAMESPACE, field_manager="two", force_conflicts=True)
    assert forced.spec.holderIdentity == "b"
    assert [entry.manager for entry in forced.metadata.managedFields] == ["two"]


def pages(api):
    for number in range(7):
        api.create_namespaced_lease(NAMESPACE, lease(f"page-{number}", "me"))
    names, token = [], None
    while True:
        page = api.list_namespaced_lease(NAMESPACE, label_selector="app=python", limit=3, _continue=token)
        names += [one.metadata.name for one in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{number}" for number in range(7)], names
    api.delete_collection_namespaced_lease(NAMESPACE, label_selector="app=python")
    assert api.list_namespaced_lease(NAMESPACE, label_selector="app=python").items == []


def watched(api):
    start = api.list_namespaced_lease(NAMESPACE).metadata.resource_version
    seen = []

    def follow():
        stream = watch.Watch()
        for event in stream.stream(api.list_namespaced_lease, NAMESPACE, resource_version=start, timeout_seconds=30):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                stream.stop()

    follower = threading.Thread(target=follow)
    follower.start()
    api.create_namespaced_lease(NAMESPACE, lease("watched", "me"))
    api.patch_namespaced_lease("watched", NAMESPACE, {"spec": {"holderIdentity": "other"}})
    api.delete_namespaced_lease("watched", NAMESPACE)
    follower.join(30)
    assert seen == [("ADDED", "watched"), ("MODIFIED", "watched"), ("DELETED", "watched")], seen


def main():
    config.load_kube_config(sys.argv[1])
    client.CoreV1Api().create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    api = client.CoordinationV1Api()
    for step in (typed, apply, pages, watched):
        step(api)
        print(step.__name__)
    print("done")


main()
