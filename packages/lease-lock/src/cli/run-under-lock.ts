import type { Clock } from '../../../kube-client/src/clock.js';
import type { HeldLock } from '../held-lock.js';
import { WhenDue } from '../when-due.js';
import { CommandProcess } from './child/command-process.js';
import { Draining } from './child/draining.js';
import { Guard } from './child/guard.js';
import type { SignalRelay } from './child/signal-relay.js';

export interface RunOptions {
  readonly command: readonly [string, ...string[]];
  /** Names this program where the command cannot be executed. */
  readonly label: string;
  readonly relay: SignalRelay;
  readonly clock: Clock;
  /** How long the command may take once it is to end; without a limit if absent. */
  readonly drain: number | undefined;
  /** Prints a line. */
  readonly tell: (line: string) => void;
}

/**
 * Runs the command while the lock is held, and resolves with its exit code when it and its children have ended. A lost lock stops them: SIGTERM,
 * and SIGKILL at the last moment at which nobody else can hold the lease. A lock that is to be handed over stops them as well, but is held until they
 * have ended; so it is if this program is told to stop. With a limit, SIGKILL follows.
 */
export async function runUnderLock(lock: HeldLock, options: RunOptions): Promise<number> {
  const { command, label, relay, clock } = options;
  const running = await CommandProcess.start(command, label, variables(lock));
  const guard = new Guard(running.pid);
  /** After a loss the command has been told already. */
  const alert = (): void => {
    const kill = lock.exclusiveFor() + lock.guardDelay;
    guard.watch(lock.signal.aborted ? kill : lock.lostIn() + lock.guardDelay, kill);
  };
  let kill: WhenDue | undefined;
  const lost = (): void => {
    running.tellToEnd();
    alert();
    kill ??= new WhenDue(
      clock,
      () => lock.exclusiveFor(),
      () => running.signal('SIGKILL'),
    );
  };
  lock.onChange = (): void => {
    alert();
    kill?.check();
  };
  alert();
  const draining = new Draining(running, options);
  const handOver = (): void => {
    draining.begin((lock.ending.reason as Error).message);
    running.tellToEnd();
  };
  const told = (): void => draining.begin((relay.stop.reason as Error).message);
  const listeners = [
    [lock.signal, lost],
    [lock.ending, handOver],
    [relay.stop, told],
  ] as const;
  for (const [signal, listener] of listeners) {
    signal.addEventListener('abort', listener, { once: true });
    if (signal.aborted) listener();
  }
  relay.passOnTo(running, () => lock.isHeld());
  // By the clock: this process may have been stopped since it acquired the lock. The gate of a command that is not opened is closed.
  if (lock.isHeld()) running.open();
  try {
    return await running.finished();
  } finally {
    relay.passOnToNobody();
    draining.over();
    for (const [signal, listener] of listeners) signal.removeEventListener('abort', listener);
    kill?.cancel();
    guard.dismiss();
  }
}

function variables(lock: HeldLock): Record<string, string> {
  return {
    LEASE_NAME: lock.lease,
    LEASE_NAMESPACE: lock.namespace,
    LEASE_HOLDER: lock.holder,
    LEASE_SLOT: String(lock.slot),
    LEASE_TOKEN: lock.token.toString(),
  };
}
