import type { Field } from './wire/hpack-encoder.js';

/** Users that the attacked server must know: lines of a token file. */
export const TOKEN_LINES: readonly string[] = [
  'admin-token,admin,admin,"system:masters"',
  'holder-token,holder,holder',
  'idler-a-token,idler-a,idler-a',
  'idler-b-token,idler-b,idler-b',
  'tenant-token,tenant,tenant',
  'node-a-token,system:node:node-a,node-a,"system:nodes"',
  'node-b-token,system:node:node-b,node-b,"system:nodes"',
];

export const ADMIN_TOKEN = 'admin-token';
/** The innocent user, with all rights on the leases of the namespace `innocent`. */
export const HOLDER_TOKEN = 'holder-token';
/** Users without any rights. */
export const IDLER_TOKENS = ['idler-a-token', 'idler-b-token'] as const;
/** Has all rights on the leases of the namespace `attacked`. */
export const TENANT_TOKEN = 'tenant-token';
export const NODE_TOKENS = ['node-a-token', 'node-b-token'] as const;

export const INNOCENT_NAMESPACE = 'innocent';
export const ATTACKED_NAMESPACE = 'attacked';
export const VICTIM_LEASE = 'victim';

export function leasesOf(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

/** Header fields of a request over HTTP/2. Without a token it is anonymous. */
export function requestFields(method: string, path: string, token?: string, more: readonly Field[] = []): Field[] {
  const credentials: Field[] = token === undefined ? [] : [['authorization', `Bearer ${token}`]];
  return [[':method', method], [':scheme', 'https'], [':path', path], [':authority', '127.0.0.1'], ...credentials, ...more];
}
