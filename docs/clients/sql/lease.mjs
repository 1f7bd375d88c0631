import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const lease = ['default', 'nightly-report'];
const seconds = 15;
const holder = `${hostname()}-${process.pid}-${randomUUID()}`;

// the timeouts end calls over a connection that is cut
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000, query_timeout: 5000 });
pool.on('error', (error) => console.error('an idle connection:', error.message));

const told = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => told.abort());
const pause = (ms) => sleep(ms, undefined, { signal: told.signal }).catch(() => undefined);

async function call(procedure, value, ...seen) {
  const parameters = ['$1', '$2', '$3', '$4', ...seen.map((_, at) => `$${at + 5}::bigint`)].join(', ');
  const { rows } = await pool.query(`call coordination.${procedure}(${parameters})`, [...lease, holder, value, ...seen]);
  return rows[0];
}

/** Waits for the lease, or until this process is told to stop. */
async function acquire() {
  let seen = null;
  let since = performance.now();
  while (!told.signal.aborted) {
    const before = performance.now();
    try {
      const answer = await call('lease_acquire', `${seconds} s`, seen, Math.floor(before - since));
      if (answer.acquired) return new Term(answer.token, before);
      if (answer.seen !== seen) {
        seen = answer.seen;
        since = performance.now();
      }
    } catch (error) {
      console.error('trying again:', error.message);
    }
    await pause(1000 + Math.random() * 1000);
  }
}

/** A hold of the lease, which is renewed until it is lost or ended. */
class Term {
  constructor(token, before) {
    this.token = token;
    this.heldSince(before);
    this.renewedLater((seconds * 1000) / 3);
  }

  heldSince(before) {
    this.until = before + (seconds * 1000 * 2) / 3;
  }

  get held() {
    return performance.now() < this.until;
  }

  renewedLater(ms) {
    this.timer = setTimeout(() => this.renew(), ms);
  }

  async renew() {
    const before = performance.now();
    try {
      const { renewed } = await call('lease_renew', this.token);
      if (!renewed) return void (this.until = 0);
      this.heldSince(before);
      this.renewedLater((seconds * 1000) / 3);
    } catch (error) {
      console.error('trying again:', error.message);
      if (this.held) this.renewedLater(1000);
    }
  }

  async release() {
    clearTimeout(this.timer);
    await call('lease_release', this.token);
  }
}

async function work(token) {
  const client = await pool.connect();
  let failure;
  try {
    await client.query('begin');
    await client.query('select coordination.lease_assert($1, $2, $3)', [...lease, token]);
    await client.query(`update account set balance = balance + 1 where name = 'a'`);
    await client.query('commit');
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(failure); // after an error the connection is closed, and the transaction with it
  }
}

const term = await acquire();
if (term) console.log('leading', term.token);
while (term?.held && !told.signal.aborted) {
  try {
    await work(term.token);
  } catch (error) {
    if (error.code === 'LS001') break;
    console.error('not written:', error.message);
  }
  await pause(1000);
}
if (told.signal.aborted) {
  await term?.release();
  await pool.end();
} else {
  console.log('lost');
  process.exit(1);
}
