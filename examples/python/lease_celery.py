import copy

import psycopg
from celery.beat import Scheduler

from leader import Leader, NotLeading


class LeaseScheduler(Scheduler):
    """
    Sends tasks only while this process leads, each with the fencing token in its header `lease_token`. When an entry was last due is in the table
    `beat_entry`, so that the next leader goes on where this one ended. It is committed before the task is sent: a task is never sent twice, and not
    at all if beat dies in between.
    """

    leader: Leader
    token: int | None = None

    def setup_schedule(self):
        super().setup_schedule()
        self.leader = self.app.conf.beat_leader
        self.leader.start()

    def tick(self, *args, **kwargs):
        token = self.leader.token
        if token != self.token:
            self.token = None if token is None else self.restore(token)
        return 0.5 if self.token is None else min(super().tick(*args, **kwargs), self.leader.seconds / 3)

    def restore(self, token):
        try:
            with self.leader.transaction(token) as transaction:
                for name, last in transaction.execute("select name, last_run_at from beat_entry").fetchall():
                    if name in self.schedule:
                        self.schedule[name].last_run_at = last
        except (psycopg.Error, NotLeading) as error:
            self.logger.warning("beat: cannot lead: %s", error)
            return None
        self._heap = None
        return token

    def apply_entry(self, entry, producer=None):
        last = self.schedule[entry.name].last_run_at
        try:
            with self.leader.transaction(self.token) as transaction:
                transaction.execute(
                    "insert into beat_entry (name, last_run_at, token) values (%s, %s, %s)"
                    " on conflict (name) do update set last_run_at = excluded.last_run_at, token = excluded.token",
                    (entry.name, last, self.token),
                )
        except (psycopg.Error, NotLeading) as error:
            self.logger.warning("beat: %s is not sent: %s", entry.name, error)
            self.token = None
            return
        if self.leader.token != self.token:
            self.logger.warning("beat: %s is not sent: the commit took until after the end of the term", entry.name)
            return
        entry = copy.copy(entry)
        entry.options = {**entry.options, "headers": {**entry.options.get("headers", {}), "lease_token": self.token}}
        super().apply_entry(entry, producer)

    def close(self):
        super().close()
        self.leader.stop()
