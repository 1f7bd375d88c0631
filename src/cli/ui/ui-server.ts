import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type DashboardAsset, DASHBOARD_HEADERS, cacheControl, dashboardAssets } from '../../endpoints/dashboard/dashboard-pages.js';
import { acceptsGzip } from '../../endpoints/response/send-response.js';
import { CommandError } from '../output/command-error.js';
import { type ApiRelay, sendStatus } from './api-relay.js';

const ADDRESS = '127.0.0.1';

export interface UiServer {
  /** The URL to open. It contains the key as a fragment, which browsers send to nobody; the page keeps it for its tab. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the dashboard on a loopback address and forwards its API requests. Rejects with CommandError. */
export async function startUiServer(relay: ApiRelay, port: number): Promise<UiServer> {
  const assets = new Map(dashboardAssets().map((asset) => [`/ui/${asset.path}`, asset]));
  if (assets.size === 0) throw new CommandError('the dashboard is not built: run "npm run build"');
  const key = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    const gate = { port: (server.address() as AddressInfo).port, key };
    answer(request, response, { gate, assets, relay });
  });
  await listen(server, port);
  const { port: given } = server.address() as AddressInfo;
  return {
    url: `http://${ADDRESS}:${given}/ui/#key=${key}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      relay.close();
      await closed;
    },
  };
}

interface Served {
  readonly gate: Gate;
  readonly assets: ReadonlyMap<string, DashboardAsset>;
  readonly relay: ApiRelay;
}

function answer(request: IncomingMessage, response: ServerResponse, { gate, assets, relay }: Served): void {
  const { method = '', headers } = request;
  // The only place where dots and empty path segments are resolved.
  const url = URL.parse(request.url ?? '', `http://${ADDRESS}`);
  if (!url || url.pathname.includes('//')) return sendStatus(response, 400, 'BadRequest', 'the path is malformed');
  const asked = { method, path: url.pathname, headers };
  const stranger = hostRefusal(asked, gate);
  if (stranger) return refuse(response, stranger);
  if ((method === 'GET' || method === 'HEAD') && sendPage(url.pathname, request, response, assets)) return;
  const refusal = apiRefusal(asked, gate);
  if (refusal) return refuse(response, refusal);
  void relay.relay(request, `${url.pathname}${url.search}`, response).catch(() => response.destroy());
}

/** Serves the page's files, which need no key; returns false for other paths. */
function sendPage(pathname: string, request: IncomingMessage, response: ServerResponse, assets: Served['assets']): boolean {
  const asset = assets.get(pathname);
  if (pathname === '/' || pathname === '/ui') redirect(response, '/ui/');
  else if (asset) sendAsset(request, response, asset);
  else return false;
  return true;
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end();
}

/** Compressed, since the command may run at the other end of an SSH tunnel. */
function sendAsset({ headers }: IncomingMessage, response: ServerResponse, asset: DashboardAsset): void {
  const compressed = acceptsGzip(headers['accept-encoding']);
  response.writeHead(200, {
    ...DASHBOARD_HEADERS,
    'content-type': asset.mediaType,
    'cache-control': cacheControl(asset),
    vary: 'Accept-Encoding',
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(compressed ? gzipSync(asset.read()) : asset.read());
}

function refuse(response: ServerResponse, { status, reason, message }: Refusal): void {
  sendStatus(response, status, reason, message);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      reject(inUse ? new CommandError(`port ${port} is in use: pass another --port, or 0 for any free one`) : error);
    });
    server.listen(port, ADDRESS, resolve);
  });
}

/** The parts of a request that show its sender and target. */
export interface GateRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface Gate {
  readonly port: number;
  /** The secret in the fragment of the URL that the command printed. */
  readonly key: string;
}

/** A refusal, with a sentence for the person at the browser. */
interface Refusal {
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
