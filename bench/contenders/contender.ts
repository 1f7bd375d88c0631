/** A running server, and the data needed to load and measure it. */
export interface Subject {
  readonly url: string;
  /** The token of a user in system:masters. */
  readonly token: string;
  /** The first processes of the server and of its store; absent for servers that the bench did not start. */
  readonly processes?: { readonly server: readonly number[]; readonly database: readonly number[] };
  /** Absent if its store is not a PostgreSQL, or its address is unknown. */
  readonly databaseUrl?: string;
  stop(): Promise<void>;
}

/** A kind of server that can be started as often as needed, always with an empty store. */
export interface Contender {
  readonly name: string;
  /** `servers`: how many serve one store; the load goes to the first. */
  start(servers?: number): Promise<Subject>;
}
