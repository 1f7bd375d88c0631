import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOwnServer } from '../../contenders/own-server.js';
import { assertDurable } from '../../measure/durability.js';
import { Distribution } from '../../measure/distribution.js';
import type { Figures } from '../../measure/figures.js';
import type { LockEngine } from '../lock-engine.js';
import type { LockLoad } from '../lock-load.js';
import { SessionEngine } from '../session-engine.js';
import { ServerSession } from './server-session.js';

const NAMESPACE = 'default';

/** The locks of one server with its embedded PostgreSQL: over HTTP, and by the command `lock`. */
export async function startServerEngines(): Promise<readonly LockEngine[]> {
  const server = await startOwnServer();
  const { url, token = '', databaseUrl = '' } = server;
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-locks-'));
  const stop = async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const durability = await assertDurable(databaseUrl);
    const kubeconfig = path.join(dir, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(url, token)), { mode: 0o600 });
    const target = { url, token, namespace: NAMESPACE };
    return [
      new SessionEngine({ name: 'PUT …/lock', durability }, (holder) => Promise.resolve(new ServerSession(target, holder)), stop),
      { name: 'lock', durability, measure: (load, seconds) => commands(kubeconfig, load, seconds), stop: () => Promise.resolve() },
    ];
  } catch (error) {
    await stop();
    throw error;
  }
}

function kubeconfigOf(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: NAMESPACE } }],
    'current-context': 'bench',
  };
}

/** Each acquisition is a process of its own, which runs `true` and releases the lock again. It renews by itself. */
function commands(kubeconfig: string, { verb, clients, figure }: LockLoad, seconds: number): Promise<Figures> | undefined {
  return verb === 'acquire' ? measure(kubeconfig, clients, figure, seconds) : undefined;
}

async function measure(kubeconfig: string, clients: number, figure: string, seconds: number): Promise<Figures> {
  const took = new Distribution();
  const started = performance.now();
  const work = async (at: number) => {
    while (performance.now() < started + seconds * 1000) {
      const sent = performance.now();
      await lock(kubeconfig, `command-${at}`);
      took.add(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => work(at)));
  const rate = took.count / ((performance.now() - started) / 1000);
  return { [figure]: Math.round(rate * 10) / 10, ...took.percentiles() };
}

async function lock(kubeconfig: string, name: string): Promise<void> {
  const child = spawn(process.execPath, ['dist/main.js', 'lock', name, `--kubeconfig=${kubeconfig}`, '--quiet', '--', 'true'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`lock ${name} ended with ${code}`);
}
