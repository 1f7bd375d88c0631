import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type DashboardAsset, cacheControl, DASHBOARD_HEADERS, dashboardAssets } from '../../endpoints/dashboard/dashboard-pages.js';
import { acceptsGzip } from '../../endpoints/response/send-response.js';
import { CommandError } from '../output/command-error.js';
import { type ApiRelay, sendStatus } from './api-relay.js';
import { type Gate, type Refusal, apiRefusal, hostRefusal } from './ui-gate.js';

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
