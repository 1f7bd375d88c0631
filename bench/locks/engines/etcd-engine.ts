import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { upstreamHome } from '../../contenders/find-upstream.js';
import { freePortFor } from '../../contenders/free-port.js';
import type { Figures } from '../../measure/figures.js';
import type { LockEngine } from '../lock-engine.js';
import { type LockLoad, TTL_SECONDS } from '../lock-load.js';
import { findEngine } from './find-engine.js';
import { startProgram } from './started-program.js';

const run = promisify(execFile);
const SOURCE = 'bench/locks/etcd-lock';

/** etcd with one member, from ETCD, the folder of upstream's programs, or the PATH. Its clients are those of its own Go library, in another process. */
export async function startEtcdEngine(): Promise<LockEngine> {
  const file = findEngine('etcd', 'apt-get install etcd-server, or set ETCD', [process.env['ETCD'], path.join(upstreamHome(), 'bin/etcd')]);
  const client = path.resolve('.bench/etcd-lock');
  const go = findEngine('go', 'its client is built by Go 1.26', []);
  await run(go, ['build', '-o', client, '.'], { cwd: SOURCE });
  const port = await freePortFor([0, 1]);
  const endpoint = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${port + 1}`;
  const program = await startProgram(
    file,
    (dir) => [
      ...[`--data-dir=${dir}/data`, '--log-level=error', `--listen-client-urls=${endpoint}`, `--advertise-client-urls=${endpoint}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    ],
    () => mustBeHealthy(endpoint),
  );
  const version = /etcd Version: (\S+)/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
  return {
    name: 'etcdctl lock',
    durability: `etcd ${version}, one member: every write is flushed, renewals are in memory`,
    measure: (load, seconds) => measure(client, endpoint, load, seconds),
    stop: program.stop,
  };
}

async function mustBeHealthy(endpoint: string): Promise<void> {
  const { status } = await fetch(`${endpoint}/health`);
  if (status !== 200) throw new Error(`health: ${status}`);
}

async function measure(client: string, endpoint: string, { verb, clients, figure }: LockLoad, seconds: number): Promise<Figures> {
  const args = { endpoint, verb, clients, seconds, ttl: TTL_SECONDS };
  const { stdout } = await run(
    client,
    Object.entries(args).map(([name, value]) => `--${name}=${value}`),
  );
  const { rate, p50, p99 } = JSON.parse(stdout) as { rate: number; p50: number; p99: number };
  return { [figure]: Math.round(rate * 10) / 10, 'p50 ms': p50, 'p99 ms': p99 };
}
