import logging
import os
import sys
import time

from celery import Celery
from celery.beat import EmbeddedService

from leader import Leader, NotLeading
from lease_celery import LeaseScheduler

TABLE = os.environ.get("REPORT_TABLE", "report")
leader = Leader(
    os.environ["DATABASE_URL"],
    os.environ.get("LEASE", "nightly-report"),
    seconds=float(os.environ.get("LEASE_SECONDS", "15")),
    holder=os.environ.get("LEASE_HOLDER"),
)
app = Celery("app_celery", broker=os.environ["BROKER_URL"])
app.conf.update(
    beat_scheduler=LeaseScheduler,
    beat_leader=leader,
    beat_schedule={"report": {"task": "app_celery.report", "schedule": 1.0}},
    task_ignore_result=True,
    worker_redirect_stdouts=False,
)
if "BROKER_FOLDER" in os.environ:
    folder = os.environ["BROKER_FOLDER"]
    app.conf.broker_transport_options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": f"{folder}/control"}


@app.task(bind=True, name="app_celery.report")
def report(task):
    token = task.request.headers["lease_token"]  # the sender's, not this worker's
    time.sleep(0.6)  # the work
    try:
        with leader.transaction(token) as transaction:
            transaction.execute(f"insert into {TABLE} (token, writer) values (%s, %s)", (token, leader.holder))
        print("written", token, flush=True)
    except NotLeading:
        print("refused", token, flush=True)


if __name__ == "__main__":
    logging.getLogger("leader").addHandler(logging.StreamHandler(sys.stdout))
    logging.getLogger("leader").setLevel(logging.INFO)
    # What `celery -A app_celery worker --beat` does in a process of its own, which would survive this one.
    beat = EmbeddedService(app, thread=True, scheduler_cls=LeaseScheduler)
    beat.start()
    try:
        app.worker_main(["--quiet", "worker", "--pool=solo", "--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"])
    finally:
        beat.stop()
