/** A running server, and what there is to know about it. */
export interface Subject {
  readonly url: string;
  /** Of a user in system:masters. */
  readonly token: string;
  /** The first processes of the server and of what it stores in; absent for servers that are another's. */
  readonly processes?: { readonly server: readonly number[]; readonly database: readonly number[] };
  /** Absent where it stores in something that is no PostgreSQL, or nobody has said where. */
  readonly databaseUrl?: string;
  stop(): Promise<void>;
}

/** A kind of server that can be started as often as needed, always with nothing stored. */
export interface Contender {
  readonly name: string;
  start(): Promise<Subject>;
}
