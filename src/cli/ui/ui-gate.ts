import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that show its sender and target. */
export interface GateRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Gate {
  readonly port: number;
  /** The secret in the fragment of the URL that the command printed. */
  readonly key: string;
}

/** A refusal, with a sentence for the person at the browser. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

/**
 * The page sends the key in this header (packages/dashboard). No other page can: browsers share cookies among all ports of a host, but not the
 * storage of a tab, and another origin may not even ask to send it, because no response allows that.
 */
const KEY_HEADER = 'coordination-ui-key';

/** The paths that the page needs; other uses of the user's credentials are refused, such as reading secrets. */
const READABLE = [
  /^\/(readyz|version|metrics)$/,
  /^\/api\/v1\/namespaces$/,
  /^\/api\/v1\/namespaces\/[^/]+\/events$/,
  /^\/apis\/(coordination\.k8s\.io|history\.coordination-apiserver\.dev)(\/|$)/,
];
const WRITABLE: readonly (readonly [method: string, path: RegExp])[] = [
  ['POST', /^\/apis\/authentication\.k8s\.io\/v1\/selfsubjectreviews$/],
  ['POST', /^\/apis\/authorization\.k8s\.io\/v1\/selfsubjectaccessreviews$/],
  ['PATCH', /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/[^/]+\/leases\/[^/]+$/],
];

/**
 * Refuses requests whose Host is not the address of the URL that was printed. Other names may come from DNS rebinding, and `localhost` is also
 * [::1], where a program of somebody else can listen at the same port and read what browsers keep for the page.
 */
export function hostRefusal({ headers }: GateRequest, { port }: Gate): Refusal | undefined {
  const host = `127.0.0.1:${port}`;
  if (headers.host === host) return undefined;
  return { status: 403, reason: 'Forbidden', message: `this page is served only at http://${host}` };
}

/** No name has them, and a proxy in front of the API server may take what contains them for another path. */
const ENCODED_SEPARATORS = /%(2f|5c)/i;

/** Refuses API requests that do not come from the page in a browser with the key: other sites, and other users of this computer. */
export function apiRefusal(request: GateRequest, gate: Gate): Refusal | undefined {
  const { method, path, headers } = request;
  const forbidden = (message: string): Refusal => ({ status: 403, reason: 'Forbidden', message });
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return forbidden('the request comes from another page');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return forbidden('the request comes from another page');
  if (!isKey(headers[KEY_HEADER], gate.key)) {
    return { status: 403, reason: 'AddressRequired', message: 'open the URL that the command printed, with its key' };
  }
  const paths = method === 'GET' ? READABLE : WRITABLE.filter(([verb]) => verb === method).map(([, writable]) => writable);
  return paths.some((served) => served.test(path)) && !ENCODED_SEPARATORS.test(path)
    ? undefined
    : forbidden(`${method} ${path} is not a request of this page`);
}

function isKey(given: string | string[] | undefined, key: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(key));
}
