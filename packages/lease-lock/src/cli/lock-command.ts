import { Acquisition } from '../acquisition.js';
import { completeLockOptions } from '../lock-options.js';
import type { LockError } from '../lock-error.js';
import { EXIT } from './exit-codes.js';
import type { ProgramContext } from './program-context.js';
import { runUnderLock } from './run-under-lock.js';

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
