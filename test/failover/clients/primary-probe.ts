import type { DatabaseNode } from '../cluster/database-node.js';
import { DirectSession } from './direct-session.js';
import type { Recorder } from './recorder.js';
import { Repeated } from './repeated.js';

const INTERVAL_MS = 100;
const LIMITS = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 };
const TAKES_WRITES = `select not (pg_is_in_recovery() or current_setting('transaction_read_only')::boolean) as "primary"`;

/**
 * Continuously asks a node directly, bypassing every link, whether it accepts writes. Nothing else reveals that the manager allows two
 * primaries.
 */
export class PrimaryProbe {
  readonly #node: DatabaseNode;
  readonly #recorder: Recorder;
  readonly #session: DirectSession;
  readonly #asking = new Repeated(() => this.#ask(), INTERVAL_MS);
  #since: number | undefined;

  constructor(node: DatabaseNode, recorder: Recorder) {
    this.#node = node;
    this.#recorder = recorder;
    const { host, port } = node.endpoint;
    this.#session = new DirectSession({ host, port, user: 'postgres', database: 'postgres', password: 'torture', ...LIMITS });
  }

  start(): void {
    this.#asking.start();
  }

  async stop(): Promise<void> {
    await this.#asking.stop();
    this.#session.drop();
  }

  async #ask(): Promise<void> {
    const askedAt = this.#recorder.now();
    const answer = await this.#session.query<{ primary: boolean }>(TAKES_WRITES).catch(() => []);
    const primary = answer[0]?.primary === true;
    if (primary && this.#since !== undefined) this.#recorder.primary(this.#node.name, this.#since, askedAt);
    this.#since = primary ? (this.#since ?? this.#recorder.now()) : undefined;
  }
}
