import { pause } from '../../../kube-client/src/pause.js';
import { Acquisition } from '../acquisition.js';
import type { HeldLock } from '../held-lock.js';
import { type CompleteLockOptions, completeLockOptions } from '../lock-options.js';
import { untilAnswered } from '../retry.js';
import type { ProgramContext } from './program-context.js';
import { runUnderLock } from './run-under-lock.js';

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
