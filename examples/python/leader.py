import contextlib
import logging
import os
import random
import secrets
import socket
import threading
import time

import psycopg
from psycopg.rows import dict_row

log = logging.getLogger("leader")


class NotLeading(Exception):
    """Another process leads, or did so before the transaction was committed."""


class Leader:
    """Campaigns for a lease in PostgreSQL in a thread of its own. Start it after a fork; every process needs one of its own."""

    def __init__(self, url: str, lease: str, namespace: str = "default", seconds: float = 15, holder: str | None = None):
        self.url, self.lease, self.seconds = url, (namespace, lease), seconds
        self.holder = holder or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._token, self._until, self._seen, self._since = None, 0.0, None, 0.0
        self._told, self._news = threading.Event(), threading.Event()
        self._campaigning = threading.Thread(target=self._campaign, daemon=True)
        self._changed = lambda leading: None

    def start(self, changed=None) -> None:
        """`changed` is called with whether this process leads, in a thread that never waits for an answer."""
        self._changed = changed or self._changed
        self._campaigning.start()
        threading.Thread(target=self._tell, daemon=True).start()

    def stop(self) -> None:
        """Releases the lease: call it once no job runs any more. If PostgreSQL does not answer, the lease expires."""
        self._told.set()
        self._campaigning.join(self.seconds)

    @property
    def token(self) -> int | None:
        """The fencing token; None while another process leads or may do so, by the monotonic clock."""
        return self._token if time.monotonic() < self._until else None

    @contextlib.contextmanager
    def transaction(self, token: int | None):
        """A transaction that is committed only if no term has begun since that of the token. NotLeading otherwise."""
        if token is None:
            raise NotLeading("another process leads")
        try:
            with self._connect() as connection, connection.transaction():
                connection.execute("select coordination.lease_assert(%s, %s, %s)", (*self.lease, token))
                yield connection
        except psycopg.Error as error:
            if error.sqlstate == "LS001":
                raise NotLeading(f"the token {token} is stale") from error
            raise

    def _connect(self) -> psycopg.Connection:
        # the timeouts end what hangs at a connection that is dead; a pooler may let a call wait for longer, and nothing here waits for it
        limits = {"connect_timeout": 3, "tcp_user_timeout": 3000, "keepalives_idle": 3, "keepalives_interval": 1, "keepalives_count": 3}
        return psycopg.connect(self.url, autocommit=True, prepare_threshold=None, **limits)

    def _call(self, procedure: str, value: object, *seen: int | None) -> dict:
        arguments = ", ".join(["%s"] * 4 + ["%s::bigint"] * len(seen))
        with self._connect() as connection:
            cursor = connection.cursor(row_factory=dict_row)
            return cursor.execute(f"call coordination.{procedure}({arguments})", (*self.lease, self.holder, value, *seen)).fetchone()

    def _campaign(self) -> None:
        while not self._told.wait(self._attempt()):
            pass
        if (token := self._token) is not None:
            self._token = None
            self._news.set()
            with contextlib.suppress(psycopg.Error):  # it expires
                self._call("lease_release", token)

    def _attempt(self) -> float:
        """Acquires or renews; the seconds until the next time."""
        before = time.monotonic()
        try:
            if self._token is not None:
                answer = self._call("lease_renew", self._token)
                kept = answer["renewed"]
            else:
                answer = self._call("lease_acquire", f"{self.seconds} s", self._seen, int((before - self._since) * 1000))
                kept = answer["acquired"]
                if answer["seen"] != self._seen:
                    self._seen, self._since = answer["seen"], time.monotonic()
        except psycopg.Error as error:
            log.warning("trying again: %s", error)
            return 0.75 + random.random() / 2
        self._token = answer["token"] if kept else None
        if kept:
            self._until = before + self.seconds * 2 / 3
        self._news.set()
        return self.seconds / 6 if kept else 0.75 + random.random() / 2

    def _tell(self) -> None:
        """Tells what the clock says, also while the campaign waits for an answer."""
        told = None
        while not self._told.is_set() or told is not None:
            self._news.wait(None if told is None else max(0, self._until - time.monotonic()))
            self._news.clear()
            token = self.token
            if told is not None and told != token:
                log.info("lost %s", self.holder)
                self._changed(False)
            if token is not None and told != token:
                log.info("leading %s %s", self.holder, token)
                self._changed(True)
            told = token
