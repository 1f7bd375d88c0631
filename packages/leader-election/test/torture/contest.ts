import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../../test/support/eventually.js';
import type { Contestant, Kind } from './contestant.js';
import type { FencedTable } from './fenced-table.js';
import type { LeaseHistory, LeaseVersion } from './lease-history.js';

export type Change = 'killed' | 'paused' | 'cut off';

/** One forced change of the leader and its result. */
export interface ChangeResult {
  readonly change: Change;
  readonly from: Kind;
  readonly to: Kind;
  /** Milliseconds from resuming a paused leader, or cutting one off, until it reported the loss. */
  readonly steppedDownAfter?: number;
  /** Whether it had reported the loss before the next acquisition was seen. */
  readonly beforeTheNext?: boolean;
  /** Milliseconds from the disturbance to the next acquisition. */
  readonly vacancy: number;
}

/** Forces one leader after another to lose the lease. */
export class Contest {
  readonly #contestants: readonly Contestant[];
  readonly #history: LeaseHistory;
  readonly #table: FencedTable;
  /** client-go's leaders, by fencing token. */
  readonly #writers = new Map<bigint, Promise<void>>();
  #finished: Promise<void> | undefined;

  constructor(contestants: readonly Contestant[], history: LeaseHistory, table: FencedTable) {
    this.#contestants = contestants;
    this.#history = history;
    this.#table = table;
  }

  async force(change: Change): Promise<ChangeResult> {
    const { leader, acquisition } = await this.#leaderInOffice();
    await sleep(Math.random() * 500);
    const before = this.#history.acquisitions.length;
    const lines = leader.lineCount;
    const at = performance.now();
    const next = () => this.#acquisitionAfter(before);
    const outcome = { change, from: leader.kind };

    if (change === 'killed') {
      await leader.kill();
      const { by, seenAt } = await next();
      await this.#table.write(acquisition.revision, leader.identity); // a write that was still in transit
      leader.start();
      return { ...outcome, to: by.kind, vacancy: seenAt - at };
    }
    if (change === 'paused') {
      leader.signal('SIGSTOP');
      const { by, seenAt } = await next();
      await sleep(Math.random() * 1000);
      const resumed = performance.now();
      leader.signal('SIGCONT');
      const lost = await leader.printed('lost', lines);
      await restartEnded(leader);
      return { ...outcome, to: by.kind, vacancy: seenAt - at, steppedDownAfter: lost - resumed };
    }
    leader.cut();
    const stepDown = leader.printed('lost', lines);
    const [{ by, seenAt }, lost] = await Promise.all([next(), stepDown]);
    leader.heal();
    await restartEnded(leader);
    return { ...outcome, to: by.kind, vacancy: seenAt - at, steppedDownAfter: lost - at, beforeTheNext: lost < seenAt };
  }

  /** Every contestant that has not led yet must lead when left alone, and none may have died unnoticed. */
  async rollCall(): Promise<void> {
    this.#reviveResigned();
    for (const contestant of this.#contestants) {
      if (contestant.hasLed) continue;
      await Promise.all(this.#contestants.filter((other) => other !== contestant).map((other) => other.kill()));
      if (contestant.wasKilled) contestant.start();
      await contestant.mustLead();
    }
  }

  /** Restarts leaders that lost the lease without being forced, on a machine too busy to renew it. */
  #reviveResigned(): void {
    for (const contestant of this.#contestants) if (contestant.hasResigned()) contestant.start();
  }

  finish(): Promise<void> {
    return (this.#finished ??= this.#end());
  }

  async #end(): Promise<void> {
    await Promise.all(this.#contestants.map((contestant) => contestant.close()));
    await Promise.all(this.#writers.values());
  }

  async #leaderInOffice(): Promise<{ leader: Contestant; acquisition: LeaseVersion }> {
    const { leader, acquisition } = await eventually(
      () => {
        this.#reviveResigned();
        return this.#announced();
      },
      () => 'nobody leads',
    );
    this.#letWrite(leader, acquisition);
    return { leader, acquisition };
  }

  /** The holder, once it has reported that it leads. */
  #announced(): { leader: Contestant; acquisition: LeaseVersion } | undefined {
    const acquisition = this.#history.acquisitions.at(-1);
    const leader = this.#contestants.find(({ identity }) => identity === acquisition?.holder);
    if (!acquisition || !leader) return undefined;
    const own = this.#history.acquisitions.filter(({ holder }) => holder === acquisition.holder).length;
    const said = leader.lines.filter((line) => line.startsWith(`leading ${leader.identity}`)).length;
    return said >= own ? { leader, acquisition } : undefined;
  }

  async #acquisitionAfter(count: number): Promise<{ by: Contestant; seenAt: number }> {
    return eventually(
      () => {
        const acquisition = this.#history.acquisitions[count];
        const by = this.#contestants.find(({ identity }) => identity === acquisition?.holder);
        if (!acquisition || !by) return undefined;
        this.#letWrite(by, acquisition);
        return { by, seenAt: acquisition.seenAt };
      },
      () => 'nobody took over',
    );
  }

  /** client-go's program has no token and no database: this method writes on its behalf with its token. */
  #letWrite(leader: Contestant, acquisition: LeaseVersion): void {
    if (leader.kind !== 'go' || this.#writers.has(acquisition.revision)) return;
    this.#writers.set(acquisition.revision, this.#writeFor(leader, acquisition));
  }

  /** Writes without checks, like the TypeScript program: all the time, and once more after the end. */
  async #writeFor(leader: Contestant, { revision, holder }: LeaseVersion): Promise<void> {
    const over = () => this.#finished !== undefined || leader.identity !== holder || leader.lines.includes(`lost ${holder}`);
    while (!over()) {
      await this.#table.write(revision, holder);
      await sleep(50);
    }
    await this.#table.write(revision, holder);
  }
}

/** client-go's program exits when it has lost; the other one campaigns again. */
async function restartEnded(contestant: Contestant): Promise<void> {
  if (contestant.kind !== 'go') return;
  await contestant.kill();
  contestant.start();
}
