import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findUpstream, whyMissing } from '../../bench/contenders/find-upstream.js';
import { authority, clientCertificate } from '../support/certificates.js';
import { type Answer, type Ask, ask } from '../support/http-client.js';
import { kubeconfig } from '../support/kubeconfig.js';
import { type Upstream, startUpstream } from '../upstream/start-upstream.js';

const LEASES_IN_ETCD = '/registry/leases/';

/** A kube-apiserver with front proxy certificates. */
export interface RealCluster extends Upstream {
  /** Kubeconfig of an administrator. */
  readonly kubeconfig: string;
  ask(path: string, request?: Ask): Promise<Answer>;
  /** The newest revision at which etcd has a lease. */
  leaseRevision(): Promise<number>;
}

/** Why no cluster can be started here; undefined if one can. */
export function whyNoCluster(): string | undefined {
  return whyMissing('kube-apiserver', 'etcd');
}

export async function startCluster(flags: readonly string[] = []): Promise<RealCluster> {
  const proxies = await authority('front-proxy-ca');
  const proxy = await clientCertificate(proxies, 'CN=front-proxy');
  const upstream = await startUpstream({
    programs: findUpstream(),
    tokens: ['admin-token,admin,admin,"system:masters"'],
    files: { 'front-proxy-ca.crt': proxies.cert, 'front-proxy.crt': proxy.cert, 'front-proxy.key': proxy.key },
    flags: (file) => [...frontProxyFlags(file), ...flags],
  });
  const { url, dir, etcdPort } = upstream;
  const file = path.join(dir, 'admin.conf');
  const cluster = { server: url, 'insecure-skip-tls-verify': true };
  await writeFile(file, kubeconfig(cluster, { token: 'admin-token' }), { mode: 0o600 });
  return {
    ...upstream,
    kubeconfig: file,
    ask: (suffix, request) => ask(url + suffix, request),
    leaseRevision: () => newestLease(etcdPort),
  };
}

function frontProxyFlags(file: (name: string) => string): string[] {
  return [
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
