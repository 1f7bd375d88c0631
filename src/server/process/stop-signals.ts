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
