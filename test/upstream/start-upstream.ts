import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UpstreamPrograms } from '../../bench/contenders/find-upstream.js';
import { freePorts } from '../failover/cluster/free-ports.js';
import { endChild } from '../support/end-child.js';
import { eventually } from '../support/eventually.js';
import { ask } from '../support/http-client.js';
import { startLogged } from '../support/start-logged.js';
import { etcdFlags } from './etcd-flags.js';

const READY_MS = 240_000;

export interface UpstreamOptions {
  readonly programs: UpstreamPrograms;
  /** Lines of the token file; the first is an administrator's. */
  readonly tokens: readonly string[];
  /** Further files of its directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Flags after its usual ones, which may name files of its directory. */
  readonly flags?: (file: (name: string) => string) => readonly string[];
}

/** How long kube-apiserver took to end, and how long after its next start it was ready, in milliseconds. */
export interface Restart {
  readonly stoppedMs: number;
  readonly readyMs: number;
}

/** A kube-apiserver on an etcd of its own. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  readonly dir: string;
  readonly etcdPort: number;
  /** Process ids of the programs that run now. */
  processes(): { readonly apiserver: number; readonly etcd: number };
  /** Stops kube-apiserver and starts it again with further flags. */
  restart(flags?: readonly string[]): Promise<Restart>;
  stop(): Promise<void>;
}

export async function startUpstream({ programs, tokens, files = {}, flags = () => [] }: UpstreamOptions): Promise<Upstream> {
  const dir = await mkdtemp(path.join(tmpdir(), 'upstream-'));
  const file = (name: string) => path.join(dir, name);
  const [port = 0, etcdPort = 0, peers = 0] = await freePorts(3);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const [name, content] of Object.entries({ ...files, 'accounts.key': key, 'tokens.csv': tokens.join('\n') })) {
    await writeFile(file(name), content, { mode: 0o600 });
  }
  const url = `https://127.0.0.1:${port}`;
  const all = [...usualFlags(file, port, etcdPort), ...flags(file)];
  const etcd = startLogged(programs.etcd, [...etcdFlags(dir, etcdPort, peers), '--unsafe-no-fsync'], file('etcd.log'));
  const start = (more: readonly string[] = []) => startLogged(programs.apiserver, [...all, ...more], file('apiserver.log'));
  let apiserver = start();
  const headers = { authorization: `Bearer ${tokens[0]?.split(',')[0]}` };
  const ready = () =>
    eventually(
      async () => {
        if (apiserver.exitCode !== null) throw new Error(`kube-apiserver ended: see ${file('apiserver.log')}`);
        return (await ask(`${url}/readyz`, { headers }).catch(() => ({ status: 0 }))).status === 200;
      },
      () => `kube-apiserver does not become ready: see ${file('apiserver.log')}`,
      READY_MS,
    );
  const end = async () => {
    await endChild(apiserver, 8000);
    await endChild(etcd, 8000);
  };
  await ready().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const stop = async () => {
    await end();
    await rm(dir, { recursive: true, force: true });
  };
  return {
    url,
    dir,
    etcdPort,
    processes: () => ({ apiserver: apiserver.pid ?? 0, etcd: etcd.pid ?? 0 }),
    restart: async (more) => {
      const began = performance.now();
      await endChild(apiserver, 20_000);
      const ended = performance.now();
      apiserver = start(more);
      await ready();
      return { stoppedMs: ended - began, readyMs: performance.now() - ended };
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function usualFlags(file: (name: string) => string, port: number, etcd: number): string[] {
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
  ];
}
