/** Under npm, a terminal's Ctrl-C reaches the server twice, from the terminal and from npm; that counts as one request to stop. */
const SAME_SIGNAL_MS = 1000;

export interface StopHandlers {
  /** The first signal. */
  stop(signal: NodeJS.Signals): void;
  /** A later one: the sender does not want to wait. */
  abort(signal: NodeJS.Signals): void;
}

/** Listens for the signals that ask a process to end. */
export function onStopSignals(handlers: StopHandlers, now: () => number = Date.now): void {
  let first: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, (signal) => {
      if (first === undefined) {
        first = now();
        handlers.stop(signal);
      } else if (now() - first > SAME_SIGNAL_MS) {
        handlers.abort(signal);
      }
    });
  }
}

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
