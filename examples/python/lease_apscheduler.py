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

    def _lead(self, leading):
        if self.running:
            self.resume() if leading else self.pause()

    def shutdown(self, wait=True):
        super().shutdown(wait)
        self.leader.stop()
