"""Reads the text of /metrics, from a file, with the parser of Prometheus' own client library."""

import sys

from prometheus_client.parser import text_string_to_metric_families

families = {family.name: family for family in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read())}
total = families["apiserver_request"]
assert total.type == "counter", total.type
created = [
    sample
    for sample in total.samples
    if sample.labels.get("resource") == "leases" and sample.labels["dry_run"] == "All" and sample.labels["code"] == "201"
]
assert sum(sample.value for sample in created) >= 1, created
duration = families["apiserver_request_duration_seconds"]
assert duration.type == "histogram", duration.type
for family in families.values():
    assert family.documentation, family.name
assert len(families) > 50, len(families)
print("done")
