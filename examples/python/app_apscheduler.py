import logging
import os
import signal
import sys
import threading
import time

from leader import Leader, NotLeading
from lease_apscheduler import LeaseScheduler

TABLE = os.environ.get("REPORT_TABLE", "report")
leader = Leader(
    os.environ["DATABASE_URL"],
    os.environ.get("LEASE", "nightly-report"),
    seconds=float(os.environ.get("LEASE_SECONDS", "15")),
    holder=os.environ.get("LEASE_HOLDER"),
)
scheduler = LeaseScheduler(leader)


@scheduler.scheduled_job("interval", seconds=1)
def report():
    token = leader.token  # once, when the job begins
    if token is None:
        return
    time.sleep(0.6)  # the work
    try:
        with leader.transaction(token) as transaction:
            transaction.execute(f"insert into {TABLE} (token, writer) values (%s, %s)", (token, leader.holder))
        print("written", token, flush=True)
    except NotLeading:
        print("refused", token, flush=True)


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level=logging.WARNING, format="%(message)s")
    logging.getLogger("leader").setLevel(logging.INFO)
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    scheduler.start()
    told.wait()
    scheduler.shutdown()
