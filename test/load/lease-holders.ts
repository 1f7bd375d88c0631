import { leasesPath, leaseText, LeaseSession, makeLeases, versionOf } from './lease-session.js';

export interface HoldersOptions {
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
  readonly leases: number;
  readonly periodMs: number;
  readonly connections: number;
}

export interface Renewals {
  /** Duration of each renewal, in milliseconds. */
  readonly took: readonly number[];
  /** Responses to failed renewals. */
  readonly refused: readonly string[];
}

/** Lease holders that renew their leases at regular intervals as one user. */
export class LeaseHolders {
  readonly #options: HoldersOptions;
  readonly #sessions: LeaseSession[];
  #versions: string[] = [];
  readonly [Symbol.dispose] = () => this.close();

  constructor(options: HoldersOptions) {
    this.#options = options;
    this.#sessions = Array.from({ length: options.connections }, () => new LeaseSession(options.url, options.token));
  }

  async acquire(): Promise<void> {
    const [first] = this.#sessions;
    if (first) this.#versions = await makeLeases(first, this.#options.namespace, this.#options.leases);
  }

  /** Renews for `durationMs`; the holders are spread over the period. */
  async renew(durationMs: number): Promise<Renewals> {
    const took: number[] = [];
    const refused: string[] = [];
    const end = performance.now() + durationMs;
    const { leases, periodMs } = this.#options;
    const hold = async (index: number): Promise<void> => {
      const start = performance.now() + (index / leases) * periodMs;
      for (let round = 0; start + round * periodMs < end; round++) {
        await until(start + round * periodMs);
        const { status, text } = await this.#renewOne(index, took);
        if (status === 200) this.#versions[index] = versionOf(text);
        else refused.push(`${status} ${text}`);
      }
    };
    await Promise.all(this.#versions.map((_, index) => hold(index)));
    return { took, refused };
  }

  close(): void {
    for (const session of this.#sessions) session.close();
  }

  async #renewOne(index: number, took: number[]): Promise<{ status: number; text: string }> {
    const session = this.#sessions[index % this.#sessions.length];
    if (!session) return { status: 0, text: 'no connection' };
    const name = `lease-${index}`;
    const started = performance.now();
    const answer = await session.send('PUT', `${leasesPath(this.#options.namespace)}/${name}`, leaseText(name, this.#versions[index]));
    took.push(performance.now() - started);
    return answer;
  }
}

function until(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
}
