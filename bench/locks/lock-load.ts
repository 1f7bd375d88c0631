/** What clients do with locks that expire after a minute. */
type Verb = 'acquire' | 'renew' | 'refuse';

export interface LockLoad {
  readonly name: string;
  readonly verb: Verb;
  readonly clients: number;
  /** What the load is, for people; begins with its figure. */
  readonly load: string;
  readonly figure: string;
}

const load =
  (verb: Verb, figure: string, what: string) =>
  (clients: number): LockLoad => ({
    name: `${verb}-${clients}`,
    verb,
    clients,
    load: `${figure}, ${clients} ${clients === 1 ? 'client' : 'clients'}${what}`,
    figure,
  });

const FEW_AND_MANY = [1, 16];

/** Each client has a connection, and sends again as soon as it has the answer. */
export const LOCK_LOADS: readonly LockLoad[] = [
  // the latency is that of the acquisition, the rate that of both
  ...FEW_AND_MANY.map(load('acquire', 'acquisitions/s', ', each its own lock and released again')),
  ...FEW_AND_MANY.map(load('renew', 'renewals/s', ', each its own lock')),
  ...FEW_AND_MANY.map(load('refuse', 'attempts/s', ', at a lock that another one holds')),
];

/** Seconds after which a lock that is not renewed expires. */
export const TTL_SECONDS = 60;
