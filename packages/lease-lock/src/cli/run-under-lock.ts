import type { Clock } from '../../../kube-client/src/clock.js';
import type { HeldLock } from '../held-lock.js';
import { WhenDue } from '../when-due.js';
import { CommandProcess } from './child/command-process.js';
import { Guard } from './child/guard.js';
import type { SignalRelay } from './child/signal-relay.js';

export interface RunOptions {
  readonly command: readonly [string, ...string[]];
  /** Names this program where the command cannot be executed. */
  readonly label: string;
  readonly relay: SignalRelay;
  readonly clock: Clock;
}

/**
 * Runs the command while the lock is held, and resolves with its exit code when it and its children have ended. A lost lock stops them: SIGTERM,
 * and SIGKILL at the last moment at which nobody else can hold the lease.
 */
export async function runUnderLock(lock: HeldLock, { command, label, relay, clock }: RunOptions): Promise<number> {
  const running = await CommandProcess.start(command, label, variables(lock));
  const guard = new Guard(running.pid);
  /** After a loss the command has been told already. */
  const alert = (): void => {
    const kill = lock.exclusiveFor() + lock.guardDelay;
    guard.watch(lock.signal.aborted ? kill : lock.lostIn() + lock.guardDelay, kill);
  };
  let kill: WhenDue | undefined;
  const lost = (): void => {
    running.signal('SIGTERM');
    running.signal('SIGCONT');
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
  lock.signal.addEventListener('abort', lost, { once: true });
  if (lock.signal.aborted) lost();
  relay.passOnTo(running, () => lock.isHeld());
  // By the clock: this process may have been stopped since it acquired the lock. The gate of a command that is not opened is closed.
  if (lock.isHeld()) running.open();
  try {
    return await running.finished();
  } finally {
    relay.passOnToNobody();
    lock.signal.removeEventListener('abort', lost);
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
