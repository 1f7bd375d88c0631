import { once } from 'node:events';
import pg from 'pg';
import { type PgBouncer, POOL_SIZE } from '../../support/pgbouncer.js';
import type { Contender } from './contender.js';

/** Something that leaves a holder's renewals without an answer. */
export interface Hang {
  readonly name: string;
  /** Whether the programs run meanwhile, so that they can tell that they have stopped. */
  readonly awake: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface Disturbed {
  readonly bouncer: PgBouncer;
  /** Through the pooler. */
  readonly databaseUrl: string;
  readonly contenders: readonly Contender[];
}

/** Who opens another connection goes on renewing. */
export const DEAD_CONNECTIONS = 'connections that are dead';

/** What all contenders go through, one after the other. */
export function hangs({ bouncer, databaseUrl, contenders }: Disturbed): Hang[] {
  const each = (act: (contender: Contender) => void) => (): Promise<void> => {
    for (const contender of contenders) act(contender);
    return Promise.resolve();
  };
  return [
    {
      name: 'a pooler that pauses',
      awake: true,
      begin: () => Promise.resolve(bouncer.pause()),
      end: () => Promise.resolve(bouncer.resume()),
    },
    usedUpPool(databaseUrl),
    { name: 'a socket that swallows', awake: true, begin: each(({ link }) => link.mute()), end: each(({ link }) => link.heal()) },
    {
      name: DEAD_CONNECTIONS,
      awake: true,
      begin: each(({ link }) => link.silence()),
      end: each(({ link }) => link.resetAll()),
    },
    {
      name: 'a process that sleeps',
      awake: false,
      begin: each((contender) => contender.sleep()),
      end: each((contender) => contender.wake()),
    },
  ];
}

/** Others have every session of the pool, in transactions that they leave open. */
function usedUpPool(databaseUrl: string): Hang {
  let others: pg.Client[] = [];
  return {
    name: 'a pool that is used up',
    awake: true,
    begin: async () => {
      others = Array.from({ length: POOL_SIZE }, () => new pg.Client(databaseUrl));
      await Promise.all(
        others.map(async (client) => {
          client.on('error', () => undefined);
          await client.connect();
          await client.query('begin');
        }),
      );
    },
    end: async () => {
      await Promise.all(
        others.map(async (client) => {
          const ended = once(client, 'end');
          await client.end();
          await ended;
        }),
      );
    },
  };
}
