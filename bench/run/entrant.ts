import type { Subject } from '../contenders/contender.js';
import type { LoadGenerator } from '../load/generator.js';
import { LeaseClient } from '../load/lease-client.js';
import { createNamespace } from '../load/prepare-leases.js';
import type { Figures } from '../measure/figures.js';
import { ProcessTree } from '../measure/process-tree.js';
import { UsageMeter } from '../measure/usage-meter.js';
import type { Side, Trial } from '../scenarios/scenario.js';

const NAMESPACE = 'bench';
const WARM_UP_SECONDS = 2;

/** One variant of a scenario on one server. */
export class Entrant {
  readonly name: string;
  readonly subject: Subject;
  readonly #side: Side;
  readonly #trial: Trial;
  readonly #meter: UsageMeter;

  constructor(name: string, side: Side, subject: Subject, how: { generator: LoadGenerator; seconds: number }) {
    this.name = name;
    this.subject = subject;
    this.#side = side;
    this.#trial = { subject, target: { url: subject.url, token: subject.token, namespace: NAMESPACE }, ...how };
    this.#meter = new UsageMeter(subject);
  }

  async prepare(): Promise<void> {
    const client = new LeaseClient(this.#trial.target, 1);
    await createNamespace(client, NAMESPACE).finally(() => client.close());
    await this.#side.prepare?.(this.#trial);
  }

  async warmUp(): Promise<void> {
    await this.#side.measure({ ...this.#trial, seconds: Math.min(WARM_UP_SECONDS, this.#trial.seconds) });
  }

  /** The variant's figures, and the resources that server and database used. */
  async measure(others: readonly Entrant[]): Promise<Figures> {
    const idle = others.map((other) => other.#cpuSeconds());
    const started = performance.now();
    const { result, usage } = await this.#meter.during(() => this.#side.measure(this.#trial));
    const seconds = (performance.now() - started) / 1000;
    const each = perRenewal({ ...result, ...usage });
    const used = others.reduce((all, other, at) => all + other.#cpuSeconds() - (idle[at] ?? 0), 0);
    return { ...result, ...each, ...usage, ...(others.length > 0 ? { 'others CPU %': Math.round((used / seconds) * 1000) / 10 } : {}) };
  }

  #cpuSeconds(): number {
    const { server, database } = this.subject.processes ?? { server: [], database: [] };
    return new ProcessTree(server, database).cpuSeconds() + new ProcessTree(database).cpuSeconds();
  }
}

/** What a renewal costs server and database together, where the load has renewals. */
function perRenewal(figures: Figures): Figures {
  const rate = figures['renewals/s'];
  const percent = figures['CPU %'];
  return rate === undefined || !percent ? {} : { 'CPU ms each': Math.round((percent / rate) * 10_000) / 1000 };
}
