import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findUpstream, whyMissing } from '../../bench/contenders/find-upstream.js';
import { freePorts } from '../failover/cluster/free-ports.js';
import { authority, clientCertificate } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type Answer, type Ask, ask } from '../support/http-client.js';

const PATIENCE_MS = 240_000;
const LEASES_IN_ETCD = '/registry/leases/';

/** How long kube-apiserver took to end, and how long after its next start it was ready, in milliseconds. */
export interface Restart {
  readonly stoppedMs: number;
  readonly readyMs: number;
}

/** A kube-apiserver with front proxy certificates, on an etcd of its own. */
export interface RealCluster extends AsyncDisposable {
  readonly url: string;
  readonly dir: string;
  /** Kubeconfig of an administrator. */
  readonly kubeconfig: string;
  /** Process ids of the programs that run now. */
  processes(): { readonly apiserver: number; readonly etcd: number };
  ask(path: string, request?: Ask): Promise<Answer>;
  /** The newest revision at which etcd has a lease. */
  leaseRevision(): Promise<number>;
  /** Stops kube-apiserver and starts it again with further flags. */
  restart(flags?: readonly string[]): Promise<Restart>;
  stop(): Promise<void>;
}

/** Why no cluster can be started here; undefined if one can. */
export function whyNoCluster(): string | undefined {
  return whyMissing('kube-apiserver', 'etcd');
}

export async function startCluster(flags: readonly string[] = []): Promise<RealCluster> {
  const programs = findUpstream();
  const dir = await mkdtemp(path.join(tmpdir(), 'coordination-cluster-'));
  const [port = 0, etcdPort = 0, peers = 0] = await freePorts(3);
  const url = `https://127.0.0.1:${port}`;
  await writeFiles(dir, url);
  const etcd = start(programs.etcd, etcdFlags(dir, etcdPort, peers), dir, 'etcd');
  let apiserver = start(programs.apiserver, [...apiserverFlags(dir, port, etcdPort), ...flags], dir, 'apiserver');
  const admin = (suffix: string, request: Ask = {}) =>
    ask(url + suffix, { ...request, headers: { authorization: 'Bearer admin-token', ...request.headers } });
  const ready = () =>
    eventually(
      async () => {
        if (apiserver.exitCode !== null) throw new Error(`kube-apiserver ended: see ${dir}/apiserver.log`);
        return (await admin('/readyz').catch(() => ({ status: 0 }))).status === 200;
      },
      () => `kube-apiserver does not become ready: see ${dir}/apiserver.log`,
      PATIENCE_MS,
    );
  await ready();
  const stop = async () => {
    await end(apiserver, 3000);
    await end(etcd, 3000);
    await rm(dir, { recursive: true, force: true });
  };
  return {
    url,
    dir,
    kubeconfig: path.join(dir, 'admin.conf'),
    processes: () => ({ apiserver: apiserver.pid ?? 0, etcd: etcd.pid ?? 0 }),
    ask: admin,
    leaseRevision: () => newestLease(etcdPort),
    restart: async (more = []) => {
      const began = performance.now();
      await end(apiserver, 20_000);
      const ended = performance.now();
      apiserver = start(programs.apiserver, [...apiserverFlags(dir, port, etcdPort), ...flags, ...more], dir, 'apiserver-again');
      await ready();
      return { stoppedMs: ended - began, readyMs: performance.now() - ended };
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function writeFiles(dir: string, url: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const proxies = await authority('front-proxy-ca');
  const proxy = await clientCertificate(proxies, 'CN=front-proxy');
  const files: Record<string, string> = {
    'accounts.key': privateKey,
    'tokens.csv': 'admin-token,admin,admin,"system:masters"',
    'front-proxy-ca.crt': proxies.cert,
    'front-proxy.crt': proxy.cert,
    'front-proxy.key': proxy.key,
    'admin.conf': kubeconfigOf(url, 'admin-token'),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(dir, name), content, { mode: 0o600 });
}

/** A kubeconfig as JSON, which is YAML. */
export function kubeconfigOf(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
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
  const file = (name: string) => path.join(dir, name);
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${file('certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('accounts.key')}`,
    `--service-account-signing-key-file=${file('accounts.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-allowed-names=front-proxy',
    `--proxy-client-cert-file=${file('front-proxy.crt')}`,
    `--proxy-client-key-file=${file('front-proxy.key')}`,
    '--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false',
  ];
}

/** Asks etcd by its JSON gateway. */
async function newestLease(port: number): Promise<number> {
  const key = Buffer.from(LEASES_IN_ETCD).toString('base64');
  const rangeEnd = Buffer.from(LEASES_IN_ETCD.replace(/\/$/, '0')).toString('base64');
  const query = { key, range_end: rangeEnd, sort_order: 'DESCEND', sort_target: 'MOD', limit: '1', keys_only: true };
  const response = await fetch(`http://127.0.0.1:${port}/v3/kv/range`, { method: 'POST', body: JSON.stringify(query) });
  const { kvs = [] } = (await response.json()) as { kvs?: { mod_revision: string }[] };
  return Number(kvs[0]?.mod_revision ?? 0);
}

export function start(program: string, flags: readonly string[], dir: string, name: string): ChildProcess {
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(dir, `${name}.log`), { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

export async function end(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killed = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(killed);
}
