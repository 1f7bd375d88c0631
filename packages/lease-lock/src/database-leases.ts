import type { LeaseBackend } from './backend.js';
import { type Queryable, LeaseProcedures } from './database/lease-procedures.js';
import { ProcedureLeases } from './database/procedure-leases.js';
import { LockError } from './lock-options.js';
import { NO_QUEUE } from './no-queue.js';
import { SUSPEND_AWARE_CLOCK } from './suspend-aware-clock.js';

export interface DatabaseOptions {
  /** A pool of `pg`, or anything with its `query`. Each statement must be a transaction of its own. */
  readonly database: Queryable;
  /** `default` by default. */
  readonly namespace?: string;
  /** Of the server's tables; `coordination` by default. */
  readonly schema?: string;
}

/** Leases in the server's database, without a server; docs/sql.md says what has to be there. Nobody queues for them. */
export function databaseLeases({ database, namespace = 'default', schema = 'coordination' }: DatabaseOptions): LeaseBackend {
  const clock = SUSPEND_AWARE_CLOCK;
  return {
    clock,
    namespace,
    claim: (claim) => {
      if (claim.priority !== undefined) {
        throw new LockError('invalid', 'a priority needs a server: the procedures of the database know none');
      }
      return new ProcedureLeases(new LeaseProcedures(database, schema, claim), claim, clock);
    },
    line: () => NO_QUEUE,
  };
}
