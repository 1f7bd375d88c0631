"""Campaigns for a Lease with the leader election of the Kubernetes project's Python client, threaded or with asyncio.

    campaign.py threads|asyncio KUBECONFIG LEASE IDENTITY

Prints "leading IDENTITY" and "lost IDENTITY".
"""

import asyncio
import sys
import threading

import kubernetes
from kubernetes import aio
from kubernetes.aio.leaderelection import electionconfig as aio_electionconfig
from kubernetes.aio.leaderelection import leaderelection as aio_leaderelection
from kubernetes.aio.leaderelection.resourcelock.leaselock import LeaseLock as AioLeaseLock
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

TIMES = {"lease_duration": 4, "renew_deadline": 3, "retry_period": 1}
way, kubeconfig, name, identity = sys.argv[1:]


def with_threads():
    kubernetes.config.load_kube_config(kubeconfig)

    def lead():
        print("leading", identity, flush=True)
        threading.Event().wait()

    def lost():
        print("lost", identity, flush=True)

    lock = LeaseLock(name, "default", identity)
    leaderelection.LeaderElection(electionconfig.Config(lock, onstarted_leading=lead, onstopped_leading=lost, **TIMES)).run()


async def with_asyncio():
    await aio.config.load_kube_config(kubeconfig)

    async def lead():
        print("leading", identity, flush=True)
        await asyncio.Event().wait()

    async def lost():
        print("lost", identity, flush=True)

    async with aio.client.ApiClient() as api:
        lock = AioLeaseLock(name, "default", identity, api)
        config = aio_electionconfig.Config(lock, onstarted_leading=lead, onstopped_leading=lost, **TIMES)
        await aio_leaderelection.LeaderElection(config).run()


if way == "threads":
    with_threads()
else:
    asyncio.run(with_asyncio())
