/** More than the parts of a server need to stop, and less than the 30 s that process managers wait before SIGKILL. */
const STOP_DEADLINE_MS = 25_000;

/** Calls `late` unless the work ends in time. A process that hangs while stopping is worse than one that stops abruptly. */
export async function withinDeadline(work: Promise<void>, late: () => void, deadlineMs = STOP_DEADLINE_MS): Promise<void> {
  const timer = setTimeout(late, deadlineMs);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
}
