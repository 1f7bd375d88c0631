"""An elector's first write with a time without a zone: naive_time.py KUBECONFIG NAME"""

import sys
from datetime import datetime

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

config.load_kube_config(sys.argv[1])
spec = client.V1LeaseSpec(holder_identity="me", lease_duration_seconds=15, renew_time=datetime(2026, 1, 2, 15, 4, 5, 123456))
try:
    client.CoordinationV1Api().create_namespaced_lease("default", client.V1Lease(metadata=client.V1ObjectMeta(name=sys.argv[2]), spec=spec))
except ApiException as error:
    print(error.status)
