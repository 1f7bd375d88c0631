import { DirectSession } from './direct-session.js';
import type { Recorder } from './recorder.js';
import { Repeated } from './repeated.js';

// The server gives up soon after the client: otherwise each update that waits for a standby keeps its connection.
const LIMITS = { connectionTimeoutMillis: 2_000, query_timeout: 2_000, statement_timeout: 3_000 };

/** Writes to PostgreSQL directly ten times a second, through an address like the servers': measures the database's own failover. */
export class DatabaseProbe {
  readonly #session: DirectSession;
  readonly #writing: Repeated;

  constructor(url: string, recorder: Recorder) {
    this.#session = new DirectSession({ connectionString: url, ...LIMITS });
    const noted = () => recorder.databaseWrites.push(recorder.now());
    // What is measured is the gap that failures leave.
    this.#writing = new Repeated(() => this.#session.query('update probe set n = n + 1').then(noted, () => undefined), 100);
  }

  async start(): Promise<void> {
    await this.#session.query('create table if not exists probe (n bigint not null)');
    await this.#session.query('insert into probe values (0)');
    this.#writing.start();
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    this.#session.drop();
  }
}
