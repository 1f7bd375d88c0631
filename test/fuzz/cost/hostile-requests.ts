import { ATTACKED_NAMESPACE, IDLER_TOKENS, INNOCENT_NAMESPACE, leasesOf, NODE_TOKENS, TENANT_TOKEN } from '../../attack/identities.js';

/** The target and the credentials of a request. */
export interface HostileRequest {
  readonly path: string;
  readonly token?: string;
}

const LEASE = `${leasesOf(INNOCENT_NAMESPACE)}/victim`;

/** Public documents, refused requests, and cheap ones that are served. */
const GETS: readonly HostileRequest[] = [
  { path: LEASE, token: IDLER_TOKENS[0] },
  { path: LEASE, token: IDLER_TOKENS[1] },
  { path: LEASE, token: NODE_TOKENS[0] },
  { path: LEASE, token: 'wrong-token' },
  { path: LEASE },
  { path: `${leasesOf(ATTACKED_NAMESPACE)}?limit=1`, token: TENANT_TOKEN },
  { path: `${leasesOf(ATTACKED_NAMESPACE)}?watch=1&resourceVersion=0`, token: TENANT_TOKEN },
  { path: `${leasesOf(ATTACKED_NAMESPACE)}/lease-1`, token: TENANT_TOKEN },
  { path: '/apis', token: IDLER_TOKENS[0] },
  { path: '/readyz' },
  { path: '/swagger/openapi.json' },
  { path: '/swagger/' },
  { path: '/openapi/v2', token: IDLER_TOKENS[0] },
  { path: '/openapi/v3/apis/coordination.k8s.io/v1', token: IDLER_TOKENS[1] },
];

const POSTS: readonly HostileRequest[] = [
  { path: leasesOf(ATTACKED_NAMESPACE), token: TENANT_TOKEN },
  { path: leasesOf(ATTACKED_NAMESPACE), token: IDLER_TOKENS[0] },
  { path: leasesOf(ATTACKED_NAMESPACE), token: 'wrong-token' },
  { path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', token: IDLER_TOKENS[0] },
  { path: '/swagger/openapi.json' },
];

/** Names of headers that are repeated. */
const HEADERS = [
  'accept-encoding',
  'accept',
  'audit-id',
  'authorization',
  'cookie',
  'impersonate-group',
  'x-remote-group',
  'traceparent',
  'user-agent',
  'x-unknown',
] as const;

export function getOf(target: number): HostileRequest {
  return GETS[target % GETS.length] as HostileRequest;
}

export function postOf(target: number): HostileRequest {
  return POSTS[target % POSTS.length] as HostileRequest;
}

/** Alternates short and long values. */
export function headerOf(target: number, size: number): readonly [string, string] {
  const name = HEADERS[target % HEADERS.length] ?? 'accept';
  // Together below a megabyte, which is more than servers accept.
  return [name, target % 2 === 0 ? 'gzip, deflate' : 'v'.repeat(Math.min(3900, Math.floor(900_000 / size)))];
}
