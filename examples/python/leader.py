import contextlib
import logging
import os
import random
import secrets
import socket
import threading
import time

import psycopg

log = logging.getLogger("leader")


class NotLeading(Exception):
    """Another process leads, or did so before the transaction was committed."""


class Leader:
    """Campaigns for a lease in PostgreSQL in a thread of its own. Start it after a fork; every process needs one of its own."""

    def __init__(self, url: str, lease: str, namespace: str = "default", seconds: float = 15, holder: str | None = None):
        self.url, self.lease, self.seconds = url, (namespace, lease), seconds
        self.holder = holder or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._token, self._until, self._told = None, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._campaign, daemon=True)
        self._changed = lambda leading: None

    def start(self, changed=None) -> None:
        """`changed` is called with whether this process leads, in the thread of the campaign."""
        self._changed = changed or self._changed
        self._thread.start()

    def stop(self) -> None:
        """Releases the lease: call it once no job runs any more."""
        self._told.set()
        self._thread.join()

    @property
    def token(self) -> int | None:
        """The fencing token; None while another process leads."""
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
        return psycopg.connect(self.url, autocommit=True, prepare_threshold=None, connect_timeout=3, tcp_user_timeout=3000)

    def _call(self, procedure: str, *values: object) -> tuple:
        marks = ", ".join(["%s"] * (3 + len(values)))
        with self._connect() as connection:
            return connection.execute(f"call coordination.{procedure}({marks})", (*self.lease, self.holder, *values)).fetchone()

    def _campaign(self) -> None:
        while not self._told.wait(self._attempt()):
            pass
        if self._token is not None:
            self._end()
            with contextlib.suppress(psycopg.Error):  # it expires
                self._call("lease_release")

    def _attempt(self) -> float:
        """Acquires or renews; the seconds until the next time."""
        before, leading = time.monotonic(), self._token is not None
        try:
            if leading:
                _, token, kept, _ = self._call("lease_renew", self._token)
            else:
                _, kept, token, _ = self._call("lease_acquire", f"{self.seconds} s")
        except psycopg.Error as error:
            log.warning("trying again: %s", error)
            kept = leading and before < self._until
        else:
            if kept:
                self._token, self._until = token, before + self.seconds * 2 / 3
        if kept and not leading:
            log.info("leading %s %s", self.holder, self._token)
            self._changed(True)
        elif leading and not kept:
            self._end()
        # SQL counts contenders' time by their calls: see "Whose clock" in docs/sql.md
        return self.seconds / 6 if kept else 0.75 + random.random() / 2

    def _end(self) -> None:
        self._token = None
        log.info("lost %s", self.holder)
        self._changed(False)
