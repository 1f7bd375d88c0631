import { type Clock, pause } from '../../../kube-client/src/clock.js';
import { Acquisition, untilAnswered } from '../acquisition.js';
import type { LeaseBackend } from '../backend.js';
import { type HeldLock, WhenDue } from '../held-lock.js';
import { type CompleteLockOptions, type LockError, completeLockOptions } from '../lock-options.js';
import { CommandProcess } from './child/command-process.js';
import { Draining } from './child/draining.js';
import { Guard } from './child/guard.js';
import type { SignalRelay } from './child/signal-relay.js';
import { EXIT } from './exit-codes.js';
import type { ProgramArguments } from './program-arguments.js';

/** `lock`: acquires the lock, runs the command, frees the lock. Resolves with the exit code. */
export async function lockCommand({ args, backend, relay, label, complain, tell, say, onError }: ProgramContext): Promise<number> {
  const options = completeLockOptions(args.name, {
    ...args,
    backend,
    signal: relay.stop,
    onWait: (holder) => say(`waiting for ${args.name}${holder === '' ? '' : `, held by ${holder}`}`),
    onSeemsDead: (holder) => {
      const who = holder === '' ? 'its holder' : holder;
      if (!args.quiet) complain(`${who} holds ${args.name} but seems to have crashed: waiting until its lease has expired, or it renews`);
    },
    onDisagreement: complain,
    onError,
  });
  const lock = await new Acquisition(options).run();
  try {
    relay.stop.throwIfAborted();
    say(`holds ${lock.namespace}/${lock.lease} as ${lock.holder} with token ${lock.token}`);
    const code = await runUnderLock(lock, { command: args.command, label, relay, clock: options.clock, drain: args.drain, tell });
    if (!lock.signal.aborted) return code;
    complain((lock.signal.reason as LockError).message);
    return EXIT.lost;
  } finally {
    await lock.release();
  }
}

/** A command that ran for less than this time is started again only after a pause, which doubles. */
const SHORT_RUN = 10_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** `elect`: runs the command whenever this process leads, until a signal ends it. Resolves with the exit code. */
export async function electCommand(context: ProgramContext): Promise<number> {
  const { args, backend, relay, complain, onError } = context;
  const stop = relay.stop;
  const lockOptions = { ...args, wait: undefined, backend, signal: stop, onDisagreement: complain, onError };
  let wait = FIRST_PAUSE;
  for (let first = true; ; first = false) {
    const options = completeLockOptions(args.name, lockOptions);
    const lock = await campaign(options, first);
    const startedAt = options.clock.monotonic();
    const code = await lead(lock, options, context);
    if (stop.aborted) return code;
    const isHandedOver = lock.ending.aborted;
    const isShort = !isHandedOver && options.clock.monotonic() - startedAt < SHORT_RUN;
    wait = isShort ? Math.min(wait * 2, LONGEST_PAUSE) : FIRST_PAUSE;
    await pause(options.clock, isHandedOver ? lock.standAside : wait / 2, stop);
    stop.throwIfAborted();
  }
}

/** A server that does not answer the first request is a mistake; later it is waited for. */
function campaign(options: CompleteLockOptions, first: boolean): Promise<HeldLock> {
  const attempt = () => new Acquisition(options).run();
  return first ? attempt() : untilAnswered(options, options.signal, attempt);
}

/** One term: until the command has ended, by itself or because the lease is lost. */
async function lead(lock: HeldLock, { clock }: CompleteLockOptions, { args, relay, label, tell, say }: ProgramContext): Promise<number> {
  try {
    relay.stop.throwIfAborted();
    say(`leads ${lock.namespace}/${lock.lease} as ${lock.holder} with token ${lock.token}`);
    const code = await runUnderLock(lock, { command: args.command, label, relay, clock, drain: args.drain, tell });
    say(lock.signal.aborted ? (lock.signal.reason as Error).message : `the command has ended with exit code ${code}`);
    return code;
  } finally {
    await lock.release();
  }
}

interface RunOptions {
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
async function runUnderLock(lock: HeldLock, options: RunOptions): Promise<number> {
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

interface ProgramContext {
  readonly args: ProgramArguments;
  readonly backend: LeaseBackend;
  readonly relay: SignalRelay;
  /** What every line on stderr begins with. */
  readonly label: string;
  readonly complain: (line: string) => void;
  /** Prints a line about a command that is to end, which is told if the caller has asked for such an end, or with `--verbose`. */
  readonly tell: (line: string) => void;
  /** Prints a line that only `--verbose` shows. */
  readonly say: (line: string) => void;
  /** Tells of a request that failed while the program goes on: always if it was refused, since it will be refused again. */
  readonly onError: (error: unknown) => void;
}
