import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { LeaseClient } from '../load/lease-client.js';
import { postmasterOf } from '../measure/postmaster.js';
import type { Contender, Subject } from './contender.js';
import { endProcesses } from './end-processes.js';
import { freePortFor } from './free-port.js';

const run = promisify(execFile);
const TOKEN = 'admin-token';
/** The script gives its store the port at this distance above the server's, and the next one. */
const STORE_PORTS = [0, 1000, 1001];
/** kine opens one connection per concurrent operation. */
const KINE_CONNECTIONS = '500';

/**
 * kube-apiserver, started and stopped by a script: `PORT=… up.sh` prints its folder, which contains `apiserver.pid` and `etcd.pid`, and
 * `PORT=… up.sh down` stops what it has started. With DATABASE_URL it uses kine on that PostgreSQL as its store.
 */
export function etcdContender(script: string): Contender {
  return { name: 'kube-apiserver + etcd', start: () => startUpstream(script, {}) };
}

/** On a PostgreSQL like this server's embedded one, with the same settings except for more connections. */
export function kineContender(script: string): Contender {
  return {
    name: 'kube-apiserver + kine',
    start: async () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'coordination-bench-'));
      const postgres = new EmbeddedPostgres({ dir, settings: { max_connections: KINE_CONNECTIONS } });
      const end = async () => {
        await postgres.stop();
        rmSync(dir, { recursive: true, force: true });
      };
      await postgres.start();
      try {
        const databaseUrl = postgres.url();
        const subject = await startUpstream(script, { DATABASE_URL: forGo(postgres.url('kine')) });
        const stop = async () => {
          await subject.stop();
          await end();
        };
        const { server, database: kine } = subject.processes ?? { server: [], database: [] };
        const processes = { server: [...server, ...kine], database: [await postmasterOf(databaseUrl)] };
        return { ...subject, processes, databaseUrl: postgres.url('kine'), stop };
      } catch (error) {
        await end();
        throw error;
      }
    },
  };
}

/** Go accepts the directory of a socket only as a parameter. */
function forGo(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const query = new URLSearchParams({ host: decodeURIComponent(url.hostname), port: url.port, sslmode: 'disable' });
  return `postgres://${url.username}:${url.password}@${url.pathname}?${query.toString()}`;
}

async function startUpstream(script: string, env: NodeJS.ProcessEnv): Promise<Subject> {
  const port = await freePortFor(STORE_PORTS);
  const environment = { ...process.env, ...env, PORT: String(port) };
  const started: number[] = [];
  const stop = async () => {
    await run('bash', [script, 'down'], { env: environment });
    await endProcesses(started);
  };
  try {
    const { stdout } = await run('bash', [script], { env: environment });
    const dir = stdout.trim().split('\n').at(-1) ?? '';
    const pid = (name: string) => Number(readFileSync(path.join(dir, `${name}.pid`), 'utf8'));
    const processes = { server: [pid('apiserver')], database: [pid('etcd')] };
    started.push(...processes.server, ...processes.database);
    if (!(await isReady(port))) throw new Error(`kube-apiserver does not start; see ${dir}`);
    return { url: `https://127.0.0.1:${port}`, token: TOKEN, processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The script returns after a minute even if nothing has started. */
async function isReady(port: number): Promise<boolean> {
  const client = new LeaseClient({ url: `https://127.0.0.1:${port}`, token: TOKEN, namespace: 'default' }, 1);
  try {
    return (await client.send('GET', '')).status === 200;
  } catch {
    return false;
  } finally {
    client.close();
  }
}
