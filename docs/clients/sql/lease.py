import os
import random
import signal
import socket
import sys
import threading
import time
import uuid

import psycopg

LEASE, DURATION = ("default", "nightly-report"), 15  # seconds
HOLDER = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4()}"
# no prepared statements; the timeouts end calls over a connection that is cut
OPTIONS = {"prepare_threshold": None, "connect_timeout": 5, "tcp_user_timeout": 5000}
OPTIONS |= {"keepalives_idle": 3, "keepalives_interval": 1, "keepalives_count": 3}


class Term:
    """A hold of the lease, which a thread renews until it is lost or ended."""

    def __init__(self, call, token: int, until: float):
        self.call, self.token, self.until, self.ended = call, token, until, threading.Event()
        threading.Thread(target=self.renew, daemon=True).start()

    def held(self) -> bool:
        return time.monotonic() < self.until

    def renew(self) -> None:
        wait = DURATION / 3
        while self.held() and not self.ended.wait(wait):
            before = time.monotonic()
            try:
                renewed = self.call("lease_renew", self.token)["renewed"]
                self.until, wait = before + DURATION * 2 / 3 if renewed else 0, DURATION / 3
            except psycopg.OperationalError as error:
                print("trying again:", error, file=sys.stderr)
                wait = 1

    def release(self) -> None:
        self.ended.set()
        self.call("lease_release", self.token)


def acquire(call, told: threading.Event) -> Term | None:
    """Waits for the lease, or until this process is told to stop."""
    seen, since = None, time.monotonic()
    while not told.is_set():
        before = time.monotonic()
        try:
            answer = call("lease_acquire", f"{DURATION} s", seen, int((before - since) * 1000))
            if answer["acquired"]:
                return Term(call, answer["token"], before + DURATION * 2 / 3)
            if answer["seen"] != seen:
                seen, since = answer["seen"], time.monotonic()
        except psycopg.OperationalError as error:
            print("trying again:", error, file=sys.stderr)
        told.wait(1 + random.random())
    return None


def lead(term: Term, work, told: threading.Event) -> None:
    print("leading", term.token, flush=True)
    while term.held() and not told.is_set():
        try:
            work(term.token)
        except psycopg.Error as error:
            if error.sqlstate == "LS001":
                break
            print("not written:", error, file=sys.stderr)
        told.wait(1)
    if not told.is_set():
        sys.exit("lost")
    term.release()


def run(call, work) -> None:
    """`call` calls a procedure with a value, outside of transactions; `work` writes under a token."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    if term := acquire(call, told):
        lead(term, work, told)
