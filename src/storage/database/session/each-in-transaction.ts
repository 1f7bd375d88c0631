import type pg from 'pg';
import type { TransactionSettings } from './session-settings.js';

type Done = (error: Error | null, result?: pg.QueryResult) => void;
type Send = (query: pg.QueryConfig, done: Done) => void;

const BEGIN = /^\s*begin\b/i;
const PLAIN = /^\s*begin\s*$/i;
const READING = /\bread only\b/i;
const END = /^\s*(commit|rollback)\b/i;
/** Statements that PostgreSQL rejects within a transaction. They run without the settings, so they must qualify names with the schema. */
const ALONE = /\bconcurrently\b/i;

/**
 * Makes a connection work without a session of its own: each single statement becomes a transaction that begins with `settings`, which is
 * called each time, and so does each transaction that is begun explicitly. Everything is sent at once and takes one round trip, for which
 * the connection must be in pg's pipeline mode. Statements have no names, since the next transaction may run in a session that does not
 * know them.
 */
export function eachInTransaction(client: pg.ClientBase, settings: () => TransactionSettings): void {
  const send = client.query.bind(client) as unknown as Send;
  let byHand = false;

  const run = (query: pg.QueryConfig, done: Done): void => {
    if (BEGIN.test(query.text)) {
      byHand = true;
      const { begin: plain, reading, writing } = settings();
      const begin = PLAIN.test(query.text) ? plain : query.text;
      return send({ text: `${begin}; ${READING.test(begin) ? reading : writing}` }, done);
    }
    if (END.test(query.text)) byHand = false;
    else if (!byHand && !ALONE.test(query.text)) return alone(query, done);
    send(query, done);
  };

  /** After an error, the commit is a rollback. Its response is awaited: then the session is ready, and the error is certain. */
  const alone = (query: pg.QueryConfig, done: Done): void => {
    let failure: Error | null = null;
    let result: pg.QueryResult | undefined;
    const { begin, writing } = settings();
    send({ text: `${begin}; ${writing}` }, (error) => (failure = error));
    send(query, (error, answer) => {
      failure ??= error;
      result = answer;
    });
    send({ text: 'commit' }, (error) => done(failure ?? error, result));
  };

  const query = (given: string | pg.QueryConfig, values?: unknown[] | Done, callback?: Done): Promise<pg.QueryResult> | undefined => {
    const config = withoutName(given, values);
    const done = typeof values === 'function' ? values : callback;
    if (done) return void run(config, done);
    return new Promise((resolve, reject) => run(config, (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult))));
  };
  Object.assign(client, { query });
}

function withoutName(given: string | pg.QueryConfig, values: unknown): pg.QueryConfig {
  const { name: _, ...config } = typeof given === 'string' ? { text: given, name: undefined } : given;
  return Array.isArray(values) ? { ...config, values } : config;
}
