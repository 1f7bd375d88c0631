import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import type { KubeClient } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { parseConnectionString } from '../../storage/database/hosts/connection-string.js';
import { keyOf } from './handed-lease.js';
import { type HandoverCheck, ok, problem, warning } from './handover-check.js';

/** Where the database of this URL, or of the PG* variables, lives with respect to a cluster. */
export async function checkDatabase(cluster: Pick<KubeClient, 'ask'>, databaseUrl: string): Promise<HandoverCheck> {
  let hosts: string[];
  try {
    hosts = databaseHostNames(databaseUrl);
  } catch (error) {
    return problem('database', (error as Error).message);
  }
  if (databaseUrl !== '' && hosts.length === 0) return ok('database', 'on this machine, reached by a socket');
  const resolve = async (host: string): Promise<string[]> => (await lookup(host, { all: true })).map(({ address }) => address);
  return checkPlacement({ cluster, hosts, resolve });
}

/** On the Services and pods of CloudNativePG, whose instances elect their primary by a Lease. */
const CLOUD_NATIVE_PG = 'cnpg.io/cluster';
const SERVICE_NAME = /(?:^|\.)([^.]+)\.([^.]+)\.svc(?:\.|$)/;
const CLUSTER_NAME = /\.cluster\.local\.?$/;
const REMEDY =
  'such a database needs the leases that need it: use a PostgreSQL that neither runs in the cluster nor elects its primary through it';

type Cluster = Pick<KubeClient, 'ask'>;

export interface Placement {
  readonly cluster: Cluster;
  /** The hosts of the database; none for a socket or an embedded one. */
  readonly hosts: readonly string[];
  /** The addresses of a host name; rejects if it has none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

interface Service extends KubeObject {
  readonly spec?: { readonly clusterIPs?: readonly string[]; readonly externalIPs?: readonly string[] };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
  };
}

/**
 * Looks for a circle: a database that lives in the cluster whose leases it is to hold, or elects its primary by them. Once it is down it does
 * not come back, because what would bring it back has no leases.
 */
export async function checkPlacement({ cluster: asked, hosts, resolve }: Placement): Promise<HandoverCheck> {
  let refused = false;
  const cluster: Cluster = {
    ask: async (...request) => {
      const answer = await asked.ask(...request);
      refused ||= answer.status === 401 || answer.status === 403;
      return answer;
    },
  };
  const elected = await servicesOfCloudNativePg(cluster);
  const circles: string[] = [];
  for (const host of hosts) {
    const circle = (await circleByName(cluster, host)) ?? (await circleByAddress(cluster, host, elected, resolve));
    if (circle !== undefined) circles.push(circle);
  }
  if (circles.length > 0) return problem('database', `${circles.join('; ')}; ${REMEDY}`);
  if (hosts.length === 0) {
    return warning('database', 'unknown: pass --database-url, or run this beside the server, to have its place checked');
  }
  if (elected.length > 0) {
    return warning('database', 'CloudNativePG in the cluster elects primaries by leases: the server must not use such a database');
  }
  if (refused) {
    return warning('database', `${hosts.join(', ')}: may be in the cluster, whose Services and pods this user may not list`);
  }
  return ok('database', `${hosts.join(', ')}: neither a Service nor a pod of the cluster`);
}

async function circleByName(cluster: Cluster, host: string): Promise<string | undefined> {
  const [, name, namespace] = SERVICE_NAME.exec(host) ?? [];
  if (name === undefined || namespace === undefined) {
    return CLUSTER_NAME.test(host) ? `${host} is a name of a cluster's own DNS` : undefined;
  }
  const { status, body } = await cluster.ask('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
  // Then it is a Service of another cluster.
  if (status === 404) return undefined;
  return `${host} is a Service of the cluster${operatorOf(body)}`;
}

async function circleByAddress(
  cluster: Cluster,
  host: string,
  elected: readonly Service[],
  resolve: Placement['resolve'],
): Promise<string | undefined> {
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch(() => []);
  for (const address of addresses) {
    const named = host === address ? host : `${host} (${address})`;
    const [service] = await list(cluster, `/api/v1/services?fieldSelector=spec.clusterIP%3D${encodeURIComponent(address)}`);
    if (service) return `${named} is the Service ${keyOf(service)} of the cluster${operatorOf(service)}`;
    const [pod] = await list(cluster, `/api/v1/pods?fieldSelector=status.podIP%3D${encodeURIComponent(address)}`);
    if (pod) return `${named} is the pod ${keyOf(pod)} of the cluster${operatorOf(pod)}`;
    const outside = elected.find((each) => publicAddresses(each).some((shown) => shown === address || shown === host));
    if (outside) return `${named} is the Service ${keyOf(outside)} of the cluster${operatorOf(outside)}`;
    if (await isServiceAddress(cluster, address)) return `${named} is in the range of the cluster's Services`;
  }
  return undefined;
}

async function isServiceAddress(cluster: Cluster, address: string): Promise<boolean> {
  const ranges = new BlockList();
  for (const { spec } of await list(cluster, '/apis/networking.k8s.io/v1/servicecidrs')) {
    for (const cidr of (spec as { cidrs?: readonly string[] } | undefined)?.cidrs ?? []) {
      const [network = '', bits = ''] = cidr.split('/');
      ranges.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
    }
  }
  return ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function servicesOfCloudNativePg(cluster: Cluster): Promise<readonly Service[]> {
  return list(cluster, `/api/v1/services?labelSelector=${encodeURIComponent(CLOUD_NATIVE_PG)}`) as Promise<readonly Service[]>;
}

/** Empty also where the cluster does not have the resource, or refuses it. */
async function list(cluster: Cluster, path: string): Promise<readonly KubeObject[]> {
  const { status, body } = await cluster.ask('GET', path);
  return status === 200 ? (body.items ?? []) : [];
}

function publicAddresses({ spec, status }: Service): string[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [...(spec?.externalIPs ?? []), ...ingress.flatMap(({ ip, hostname }) => [ip ?? [], hostname ?? []].flat())];
}

function operatorOf({ metadata }: KubeObject): string {
  return metadata?.labels?.[CLOUD_NATIVE_PG] === undefined ? '' : ', of CloudNativePG, which elects its primary by a lease';
}

/** The hosts of a database URL, or without one of PGHOST; sockets have none. */
export function databaseHostNames(url: string, { PGHOST = '' }: NodeJS.ProcessEnv = process.env): string[] {
  const hosts = url === '' ? PGHOST : (parseConnectionString(url).get('host') ?? '');
  return hosts.split(',').filter((host) => host !== '' && !host.startsWith('/') && !host.startsWith('@'));
}
