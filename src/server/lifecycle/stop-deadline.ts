/** More than the parts of a server take to stop, and less than whoever sent the signal waits before he kills (30 s). */
export const STOP_DEADLINE_MS = 25_000;

/** Calls `late` unless the work has ended before. A process that hangs while it stops is worse than one that stops hard. */
export async function withinDeadline(work: Promise<void>, late: () => void, deadlineMs = STOP_DEADLINE_MS): Promise<void> {
  const timer = setTimeout(late, deadlineMs);
  try {
    await work;
  } finally {
    clearTimeout(timer);
  }
}
