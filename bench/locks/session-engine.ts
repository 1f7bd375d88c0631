import { Distribution } from '../measure/distribution.js';
import type { Figures } from '../measure/figures.js';
import type { LockEngine, LockSession } from './lock-engine.js';
import type { LockLoad } from './lock-load.js';

/** Drives sessions from this process. `open` opens a session for a holder of this name. */
export class SessionEngine implements LockEngine {
  readonly name: string;
  readonly durability: string;
  readonly #open: (holder: string) => Promise<LockSession>;
  readonly #renews: boolean;
  readonly #stop: () => Promise<void>;

  constructor(
    named: { readonly name: string; readonly durability: string; readonly renews?: boolean },
    open: (holder: string) => Promise<LockSession>,
    stop: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.name = named.name;
    this.durability = named.durability;
    this.#renews = named.renews ?? true;
    this.#open = open;
    this.#stop = stop;
  }

  measure(load: LockLoad, seconds: number): Promise<Figures> | undefined {
    return load.verb === 'renew' && !this.#renews ? undefined : this.#measure(load, seconds);
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async #measure({ verb, clients, figure }: LockLoad, seconds: number): Promise<Figures> {
    const sessions: LockSession[] = [];
    try {
      for (let at = 0; at < clients; at++) sessions.push(await this.#open(`client-${at}`));
      const held = verb === 'refuse' ? await this.#open('holder') : undefined;
      if (held) {
        sessions.push(held);
        await must(held.acquire('held'));
      }
      if (verb === 'renew') await Promise.all(sessions.map((session, at) => must(session.acquire(`own-${at}`))));
      const took = new Distribution();
      const started = performance.now();
      const until = started + seconds * 1000;
      const working = sessions.slice(0, clients).map((session, at) => work(session, { verb, lock: `own-${at}`, until, took }));
      await Promise.all(working);
      const rate = took.count / ((performance.now() - started) / 1000);
      if (held) await must(held.release('held'));
      if (verb === 'renew') await Promise.all(sessions.map((session, at) => must(session.release(`own-${at}`))));
      return { [figure]: Math.round(rate * 10) / 10, ...took.percentiles() };
    } finally {
      for (const session of sessions) await session.close();
    }
  }
}

interface Work {
  readonly verb: LockLoad['verb'];
  readonly lock: string;
  readonly until: number;
  readonly took: Distribution;
}

async function work(session: LockSession, { verb, lock, until, took }: Work): Promise<void> {
  while (performance.now() < until) {
    const sent = performance.now();
    if (verb === 'acquire') await must(session.acquire(lock));
    else if (verb === 'renew') await must(session.renew?.(lock));
    else await must(session.acquire('held').then((acquired) => !acquired));
    took.add(performance.now() - sent);
    if (verb === 'acquire') await must(session.release(lock));
  }
}

/** A rate of answers that say something else than expected would mean nothing. */
async function must(answer: Promise<boolean> | undefined): Promise<void> {
  if ((await answer) !== true) throw new Error('a lock that is free was refused, or one that is held was given');
}
