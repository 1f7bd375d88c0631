import pg from 'pg';

/** What lease_acquire answers; times as PostgreSQL's text. */
export interface Acquired {
  readonly holder: string | null;
  readonly acquired: boolean;
  readonly token: number | null;
  readonly expires: Date | null;
}

export interface Renewed {
  readonly holder: string | null;
  readonly renewed: boolean;
  readonly token: number | null;
  readonly expires: Date | null;
}

export interface Released {
  readonly holder: string | null;
  readonly released: boolean;
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/** A program that uses the leases of a database over SQL alone, one call after the other. */
export class LeaseClient {
  readonly session: pg.Client;
  readonly [Symbol.asyncDispose] = () => this.close();

  private constructor(url: string) {
    this.session = new pg.Client({ connectionString: url, types });
    this.session.on('error', () => undefined);
  }

  static async connect(url: string): Promise<LeaseClient> {
    const client = new LeaseClient(url);
    await client.session.connect();
    return client;
  }

  acquire(name: string, holder: string, duration = '15s', namespace = 'default'): Promise<Acquired> {
    return this.#call('call coordination.lease_acquire($1, $2, $3, $4)', [namespace, name, holder, duration]);
  }

  /** As a contender with a steady clock, which has seen the lease at this revision for so long. */
  acquireSeen(
    name: string,
    holder: string,
    duration: string,
    seen: number | null,
    ms: number,
  ): Promise<Acquired & { seen: number | null }> {
    return this.#call('call coordination.lease_acquire($1, $2, $3, $4, $5::bigint, $6::bigint)', [
      'default',
      name,
      holder,
      duration,
      seen,
      ms,
    ]);
  }

  renew(name: string, holder: string, token: number | null = null): Promise<Renewed> {
    return this.#call('call coordination.lease_renew($1, $2, $3, $4)', ['default', name, holder, token]);
  }

  release(name: string, holder: string, token: number | null = null): Promise<Released> {
    return this.#call('call coordination.lease_release($1, $2, $3, $4)', ['default', name, holder, token]);
  }

  async get(name: string): Promise<Record<string, unknown> | undefined> {
    return (await this.rows<Record<string, unknown>>('select * from coordination.lease_get($1, $2)', ['default', name]))[0];
  }

  async rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.session.query(text, values)).rows as Row[];
  }

  close(): Promise<void> {
    return this.session.end();
  }

  async #call<Row>(text: string, values: unknown[]): Promise<Row> {
    const [row] = await this.rows<Row>(text, values);
    if (!row) throw new Error('the call answered no row');
    return row;
  }
}
