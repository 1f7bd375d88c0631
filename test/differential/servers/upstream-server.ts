import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../failover/cluster/free-ports.js';
import { ask } from '../../support/http-client.js';
import { TOKEN_LINES } from '../identities.js';
import type { UpstreamPrograms } from '../../../bench/contenders/find-upstream.js';

export interface StartedServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const READY_MS = 120_000;

/**
 * A kube-apiserver on its own etcd, with the versions and gates that this project serves, and the tool's tokens or others. `flags` come
 * last.
 */
export async function startUpstream(
  programs: UpstreamPrograms,
  tokens = TOKEN_LINES,
  flags: readonly string[] = [],
): Promise<StartedServer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'differential-upstream-'));
  const [port = 0, clients = 0, peers = 0] = await freePorts(3);
  await writeFile(path.join(dir, 'tokens.csv'), tokens.join('\n'), { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(path.join(dir, 'accounts.key'), privateKey, { mode: 0o600 });
  const etcd = start(programs.etcd, etcdFlags(dir, clients, peers), dir, 'etcd');
  const apiserver = start(programs.apiserver, [...apiserverFlags(dir, port, clients), ...flags], dir, 'apiserver');
  const stop = async () => {
    for (const child of [apiserver, etcd]) await end(child);
    await rm(dir, { recursive: true, force: true });
  };
  const url = `https://127.0.0.1:${port}`;
  try {
    await ready(url, apiserver, path.join(dir, 'apiserver.log'), tokens[0]?.split(',')[0]);
    return { url, stop };
  } catch (error) {
    await end(apiserver);
    await end(etcd);
    throw error;
  }
}

function etcdFlags(dir: string, clients: number, peers: number): string[] {
  const peer = `http://127.0.0.1:${peers}`;
  return [
    `--data-dir=${path.join(dir, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${clients}`,
    `--advertise-client-urls=http://127.0.0.1:${clients}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
}

function apiserverFlags(dir: string, port: number, etcd: number): string[] {
  const key = path.join(dir, 'accounts.key');
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${path.join(dir, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${path.join(dir, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--runtime-config=coordination.k8s.io/v1beta1=true,coordination.k8s.io/v1alpha2=true',
    '--feature-gates=CoordinatedLeaderElection=true,ShardedListAndWatch=true,CBORServingAndStorage=true',
    '--disable-admission-plugins=ServiceAccount',
  ];
}

function start(program: string, flags: readonly string[], dir: string, name: string): ChildProcess {
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(dir, `${name}.log`));
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  return child;
}

async function ready(url: string, child: ChildProcess, log: string, token = ''): Promise<void> {
  const until = Date.now() + READY_MS;
  const headers = { authorization: `Bearer ${token}` };
  while (Date.now() < until && child.exitCode === null) {
    const { status } = await ask(`${url}/readyz`, { headers }).catch(() => ({ status: 0 }));
    if (status === 200) return;
    await sleep(250);
  }
  throw new Error(`kube-apiserver does not become ready: see ${log}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killed = setTimeout(() => child.kill('SIGKILL'), 8000);
  await exited;
  clearTimeout(killed);
}
