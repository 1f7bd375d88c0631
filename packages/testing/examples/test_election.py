import base64
import json
import os
import shlex
import ssl
import subprocess
import threading
import time
from urllib.request import Request, urlopen

import pytest
import urllib3
from kubernetes import client, config
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

LEASE_DURATION, RENEW_DEADLINE, RETRY_PERIOD, REQUEST_TIMEOUT = 3, 1.2, 0.05, 1.5  # seconds
RENEWALS = {"verb": "update", "resource": "leases", "name": "worker"}


class Server:
    """The orders of docs/testing.md."""

    def __init__(self, kubeconfig):
        access = json.loads(kubeconfig.read_text())  # JSON is YAML
        cluster = access["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.headers = {"Authorization": "Bearer " + access["users"][0]["user"]["token"], "Content-Type": "application/json"}
        self.trust = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())

    def order(self, path, method="POST", **body):
        request = Request(f"{self.url}/testing/{path}", json.dumps(body).encode(), self.headers, method=method)
        with urlopen(request, context=self.trust) as answer:
            return json.loads(answer.read() or "null")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    kubeconfig = tmp_path_factory.mktemp("lease-server") / "kubeconfig"
    command = shlex.split(os.environ.get("LEASE_TEST_SERVER", "lease-test-server"))
    with subprocess.Popen([*command, f"--kubeconfig-out={kubeconfig}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert b"ready" in program.stdout.readline()
        config.load_kube_config(str(kubeconfig))
        yield Server(kubeconfig)
        program.stdin.close()  # and so it ends


@pytest.fixture
def candidate(server):
    """Starts candidates, and stops them at the end of the test."""
    started = []

    def start(identity):
        started.append(Candidate(identity))
        return started[-1]

    yield start
    server.order("reset")
    for each in started:
        each.api.over = True
        assert each.stopped.wait(10)
    server.order("reset")


class Api(client.CoordinationV1Api):
    """With a time limit, which the client's election does not set: without it, a leader whose renewal hangs never stops."""

    over = False

    def read_namespaced_lease(self, name, namespace):
        if self.over:
            raise urllib3.exceptions.HTTPError("the test is over")
        return super().read_namespaced_lease(name, namespace, _request_timeout=REQUEST_TIMEOUT)

    def replace_namespaced_lease(self, name, namespace, body):
        return super().replace_namespaced_lease(name, namespace, body, _request_timeout=REQUEST_TIMEOUT)


class Candidate:
    """The official client's election, in a thread. It cannot be told to stop, but what is below HTTP stops it: it is not tried again."""

    def __init__(self, identity):
        self.leads, self.stopped = threading.Event(), threading.Event()
        lock = LeaseLock("worker", "default", identity)
        self.api = lock.api_instance = Api(client.ApiClient())
        self.api.api_client.rest_client.pool_manager.connection_pool_kw["retries"] = False
        settings = electionconfig.Config(lock, 3, 2, 1, onstarted_leading=self.leads.set, onstopped_leading=lambda: None)
        # faster than the constructor allows
        settings.lease_duration, settings.renew_deadline, settings.retry_period = LEASE_DURATION, RENEW_DEADLINE, RETRY_PERIOD
        self.election = leaderelection.LeaderElection(settings)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            self.election.run()
        except urllib3.exceptions.HTTPError:
            pass
        finally:
            self.stopped.set()


def test_lost_while_working(server, candidate):
    a = candidate("a")
    assert a.leads.wait(10)
    server.order("leases/take-over", name="worker", holder="somebody-else")
    assert a.stopped.wait(10)


def test_slow_renewal(server, candidate):
    a = candidate("a")
    assert a.leads.wait(10)
    began = time.monotonic()
    server.order("faults", **RENEWALS, hang=True, count=100)
    assert a.stopped.wait(10)
    assert time.monotonic() - began < LEASE_DURATION, "another candidate may lead by then"


def test_two_candidates(server, candidate):
    a = candidate("a")
    assert a.leads.wait(10)
    b = candidate("b")
    server.order("faults", **RENEWALS, status=403, count=1000)  # a can renew no more, and b not take over yet
    assert a.stopped.wait(10)
    assert not b.leads.is_set()
    server.order("faults", "DELETE")
    server.order("leases/release", name="worker")
    assert b.leads.wait(10)


def test_restart(server, candidate):
    server.order("leases/take-over", name="worker", holder="a")
    a = candidate("a")
    assert a.leads.wait(LEASE_DURATION / 2), "it waited for its own lease to expire"


def test_refusal(server, candidate):
    a = candidate("a")
    assert a.leads.wait(10)
    for status in (409, 429, 503):
        server.order("faults", **RENEWALS, status=status)
        while server.order("faults", "GET") or server.order("requests?verb=update", "GET")[-1].get("status") != 200:
            assert not a.stopped.wait(0.01), "it stopped leading, although every refusal could be tried again"
