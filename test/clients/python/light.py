"""lightkube: Lease and LeaseList models, patches, apply and a watch.

    light.py KUBECONFIG

Prints "done" when everything was as it should be; ends with a traceback and exit code 1 otherwise.
"""

import sys
from datetime import datetime, timezone

from lightkube import ApiError, Client, KubeConfig
from lightkube.codecs import dump_all_yaml, load_all_yaml
from lightkube.models.coordination_v1 import LeaseList, LeaseSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.coordination_v1 import Lease
from lightkube.resources.core_v1 import Namespace
from lightkube.types import PatchType

NAMESPACE = "lightkube"
RENEWED = datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc)


def lease(name, holder):
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels={"app": "light"})
    return Lease(metadata=metadata, spec=LeaseSpec(holderIdentity=holder, leaseDurationSeconds=15, renewTime=RENEWED))


def code_of(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiError as error:
        return error.status.code
    return None


def models(client):
    created = client.create(lease("model", "me"))
    got = client.get(Lease, "model")
    assert got == created and got.spec.renewTime == RENEWED, got
    assert code_of(client.create, lease("model", "me")) == 409
    got.spec.holderIdentity = "other"
    assert client.replace(got).spec.holderIdentity == "other"
    assert code_of(client.replace, got) == 409
    patched = client.patch(Lease, "model", {"spec": {"holderIdentity": "merged"}}, patch_type=PatchType.MERGE)
    assert patched.spec.holderIdentity == "merged"
    assert client.set(Lease, "model", labels={"tier": "one"}).metadata.labels == {"app": "light", "tier": "one"}
    [read] = load_all_yaml(dump_all_yaml([patched]))
    assert read == patched
    client.delete(Lease, "model")
    assert code_of(client.get, Lease, "model") == 404


def lists(client):
    for number in range(7):
        client.create(lease(f"item-{number}", "me"))
    names = [one.metadata.name for one in client.list(Lease, labels={"app": "light"}, chunk_size=3)]
    assert names == [f"item-{number}" for number in range(7)], names
    document = {"metadata": {"resourceVersion": "1"}, "items": [one.to_dict() for one in client.list(Lease)]}
    assert len(LeaseList.from_dict(document).items) == 7
    client.deletecollection(Lease)
    assert list(client.list(Lease)) == []


def apply(client):
    assert client.apply(lease("applied", "a"), field_manager="one").spec.holderIdentity == "a"
    assert code_of(client.apply, lease("applied", "b"), field_manager="two") == 409
    assert client.apply(lease("applied", "b"), field_manager="two", force=True).spec.holderIdentity == "b"
    client.delete(Lease, "applied")


def watched(client):
    before = client.list(Lease)
    assert list(before) == []
    client.create(lease("watched", "me"))
    client.patch(Lease, "watched", {"spec": {"holderIdentity": "other"}})
    client.delete(Lease, "watched")
    seen = []
    for kind, one in client.watch(Lease, resource_version=before.resourceVersion):
        seen.append((kind, one.metadata.name))
        if kind == "DELETED":
            break
    assert seen == [("ADDED", "watched"), ("MODIFIED", "watched"), ("DELETED", "watched")], seen


def main():
    client = Client(config=KubeConfig.from_file(sys.argv[1]).get(), namespace=NAMESPACE)
    client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    for step in (models, lists, apply, watched):
        step(client)
        print(step.__name__)
    print("done")


main()
