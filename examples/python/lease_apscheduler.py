from apscheduler.schedulers.background import BackgroundScheduler

from leader import Leader


class LeaseScheduler(BackgroundScheduler):
    """Runs its jobs only while this process leads. What other processes have run meanwhile is a misfire here."""

    def __init__(self, leader: Leader, **options):
        super().__init__(**options)
        self.leader = leader

    def start(self, *args, **kwargs):
        super().start(paused=True)
        self.leader.start(self._lead)

    def _process_jobs(self):
        # a process that was asleep begins no job before it has been told that it leads no longer
        return super()._process_jobs() if self.leader.token is not None else None

    def _lead(self, leading):
        if self.running:
            self.resume() if leading else self.pause()

    def shutdown(self, wait=True):
        super().shutdown(wait)
        self.leader.stop()
