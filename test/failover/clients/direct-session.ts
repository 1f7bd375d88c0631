import pg from 'pg';

/** A session of PostgreSQL that is opened when it is needed, and again after a failure. */
export class DirectSession {
  readonly #config: pg.ClientConfig;
  #client: pg.Client | undefined;
  readonly [Symbol.dispose] = () => this.drop();

  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    try {
      return (await (await this.#connected()).query<Row>(text)).rows;
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** Ends it without a word to the server, which may be silent. */
  drop(): void {
    (this.#client as unknown as { connection: { stream: { destroy(): void } } } | undefined)?.connection.stream.destroy();
    this.#client = undefined;
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    this.#client = client;
    await client.connect();
    return client;
  }
}
