import type { Logger } from 'pino';
import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { ConnectionLost } from '../../database/session/pg-errors.js';
import { awaitsAnswer, destroyClient, onSilence, watchSilence } from '../../database/session/silence.js';
import { runStatement, sqlStatement } from '../../database/statement/statement.js';

/** Terminates a session that is idle, so that a command still on its way to it is never executed. */
const LOOK_AFTER_SESSION = sqlStatement<{ idle: boolean | null }, readonly [pid: number, start: string]>(
  'look_after_session',
  `
    select state like 'idle%' as idle, case when state like 'idle%' then pg_terminate_backend(pid) end
    from pg_stat_activity where pid = $1 and backend_start = $2::text::timestamptz`,
);

const OWN_BACKEND = sqlStatement<Backend, readonly []>(
  'own_backend',
  'select pid, backend_start::text as start from pg_stat_activity where pid = pg_backend_pid()',
);

/** A commit usually takes milliseconds. */
const LOOK_AFTER_MS = 3_000;

/** The server process behind a session. */
interface Backend {
  readonly pid: number;
  readonly start: string;
}

/**
 * Detects a dead writer connection within seconds. Silence alone proves nothing, since a batch may be waiting for the counter or for a
 * standby, so another connection checks whether the server process is working. Behind a pooler that process is unknown, and only the
 * statement's time limit applies.
 */
export async function watchSession(client: pg.Client, database: Database, logger: Logger): Promise<void> {
  const unwatch = watchSilence(client, LOOK_AFTER_MS);
  const backend = await backendOf(client);
  unwatch();
  const limitMs = database.writeSilenceMs;
  const giveUp = () => {
    logger.warn({ err: new ConnectionLost('the connection for writes was silent') }, 'the connection for writes is silent; closing it');
    destroyClient(client);
  };
  if (!backend) return void onSilence(client, limitMs, giveUp);
  onSilence(client, LOOK_AFTER_MS, (silentMs) => {
    if (silentMs >= limitMs) return giveUp();
    isDead(database, backend).then(
      (dead) => dead && awaitsAnswer(client) && giveUp(),
      (err: unknown) => logger.debug({ err }, 'cannot monitor the session that writes'),
    );
  });
}

async function backendOf(client: pg.Client): Promise<Backend | undefined> {
  const [backend] = await runStatement(client, OWN_BACKEND, []);
  return backend?.pid === (client as { processID?: number }).processID ? backend : undefined;
}

async function isDead(database: Database, { pid, start }: Backend): Promise<boolean> {
  const [row] = await database.query(LOOK_AFTER_SESSION, [pid, start]);
  return row === undefined || row.idle === true;
}
