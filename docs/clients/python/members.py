import sys
import threading
import time

import urllib3
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

from connect import NAMESPACE, TIMEOUT, connect, name_of_process, until_told
from elect import micro_now

GROUP, DURATION, BEAT = "workers", 10, 3  # seconds
SELECTOR = f"group={GROUP}"


class Members:
    """The group's leases, and when each was seen to change."""

    def __init__(self, api: client.CoordinationV1Api):
        self.api, self.leases, self.mutex = api, {}, threading.Lock()

    def follow(self) -> None:
        while True:
            try:
                found = self.api.list_namespaced_lease(NAMESPACE, label_selector=SELECTOR, _request_timeout=TIMEOUT)
                with self.mutex:
                    gone = set(self.leases) - {lease.metadata.name for lease in found.items}
                    for name in gone:
                        del self.leases[name]
                for lease in found.items:
                    self.see("MODIFIED", lease)
                self.watch_from(found.metadata.resource_version)
            except (ApiException, urllib3.exceptions.HTTPError) as error:  # a 410, too: list again
                print("listing again:", error, file=sys.stderr)
                time.sleep(1)

    def watch_from(self, version: str) -> None:
        # The server ends the stream after a minute; the client goes on from the last change or bookmark.
        events = watch.Watch().stream(
            self.api.list_namespaced_lease, NAMESPACE, label_selector=SELECTOR, resource_version=version,
            allow_watch_bookmarks=True, timeout_seconds=60, _request_timeout=(2, 75),
        )
        for event in events:
            if event["type"] != "BOOKMARK":
                self.see(event["type"], event["object"])

    def see(self, kind: str, lease: client.V1Lease) -> None:
        name, version = lease.metadata.name, lease.metadata.resource_version
        with self.mutex:
            if kind == "DELETED":
                self.leases.pop(name, None)
            elif name not in self.leases or self.leases[name][0].metadata.resource_version != version:
                self.leases[name] = (lease, time.monotonic())

    def alive(self) -> list[str]:
        with self.mutex:
            now = time.monotonic()
            return sorted(
                lease.spec.holder_identity for lease, at in self.leases.values() if now - at < lease.spec.lease_duration_seconds
            )


def keep_alive(api: client.CoordinationV1Api, member: str, told: threading.Event) -> None:
    name = f"{GROUP}-{member}"
    while not told.is_set():
        try:
            beat(api, name, member)
        except (ApiException, urllib3.exceptions.HTTPError) as error:
            print("trying again:", error, file=sys.stderr)
        told.wait(BEAT)


def beat(api: client.CoordinationV1Api, name: str, member: str) -> None:
    """A patch without a resourceVersion, so that it does not matter whether the answer to the last one got lost."""
    now = micro_now()
    try:
        api.patch_namespaced_lease(name, NAMESPACE, {"spec": {"renewTime": now}}, _request_timeout=TIMEOUT)
    except ApiException as error:
        if error.status != 404:
            raise
        metadata = client.V1ObjectMeta(name=name, labels={"group": GROUP})
        spec = client.V1LeaseSpec(holder_identity=member, lease_duration_seconds=DURATION, renew_time=now)
        api.create_namespaced_lease(NAMESPACE, client.V1Lease(metadata=metadata, spec=spec), _request_timeout=TIMEOUT)


def main() -> None:
    member, told, api = name_of_process(), until_told(), connect()
    members = Members(api)
    threading.Thread(target=members.follow, daemon=True).start()
    beating = threading.Thread(target=keep_alive, args=(api, member, told))
    beating.start()
    shown = ""
    while not told.wait(1):
        now = " ".join(members.alive())
        if now != shown:
            shown = now
            print("members", now, flush=True)
    beating.join()
    api.delete_namespaced_lease(f"{GROUP}-{member}", NAMESPACE, _request_timeout=TIMEOUT)


if __name__ == "__main__":
    main()
