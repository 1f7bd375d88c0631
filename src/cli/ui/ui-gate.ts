import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What of a request says who sent it, and what it wants. */
export interface GateRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Gate {
  readonly port: number;
  /** What only those know who have seen the command's output. */
  readonly key: string;
}

/** Why a request is refused; in one sentence for the person at the browser. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

/** The page asks for this; whatever else the user's credentials could do stays undone. */
const READABLE = /^\/(apis?(\/|$)|readyz$|version$|metrics$)/;
const WRITABLE: readonly (readonly [method: string, path: RegExp])[] = [
  ['POST', /^\/apis\/authentication\.k8s\.io\/v1\/selfsubjectreviews$/],
  ['POST', /^\/apis\/authorization\.k8s\.io\/v1\/selfsubjectaccessreviews$/],
  ['PATCH', /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/[^/]+\/leases\/[^/]+$/],
];

/**
 * Whether a browser got here by one of this computer's own names. A page of elsewhere whose name was pointed at this computer (DNS
 * rebinding) has another one.
 */
export function hostRefusal({ headers }: GateRequest, { port }: Gate): Refusal | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (names.includes((headers.host ?? '').toLowerCase())) return undefined;
  return { status: 403, reason: 'Forbidden', message: `this page is served as http://${names[0]} alone` };
}

/**
 * Whether a request for the API is of the page, in a browser that has been at the address with the key. Neither pages of elsewhere nor
 * other users of this computer are let in.
 */
export function apiRefusal(request: GateRequest, gate: Gate): Refusal | undefined {
  const { method, path, headers } = request;
  const forbidden = (message: string): Refusal => ({ status: 403, reason: 'Forbidden', message });
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return forbidden('the request is of another page');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return forbidden('the request is of another page');
  if (!isKey(cookieOf(headers.cookie, cookieName(gate)), gate.key)) {
    return { status: 403, reason: 'AddressRequired', message: 'open the address that the command has printed, with its key' };
  }
  const isServed = method === 'GET' ? READABLE.test(path) : WRITABLE.some(([verb, paths]) => verb === method && paths.test(path));
  return isServed ? undefined : forbidden(`${method} ${path} is nothing that the page asks for`);
}

/** Browsers keep cookies by host alone, so that two such commands would take each other's. */
export function cookieName({ port }: Pick<Gate, 'port'>): string {
  return `coordination-ui-${port}`;
}

export function isKey(given: string | undefined, key: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(key));
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = header?.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}
