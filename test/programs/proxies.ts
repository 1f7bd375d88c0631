import { once } from 'node:events';
import http2 from 'node:http2';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { apiAccess } from '../../packages/leader-election/test/support/api-access.js';
import { whyNot } from '../clients/toolchain.js';
import { freePorts } from '../failover/cluster/free-ports.js';
import { http1Asker, ProxiedLoad } from '../proxies/proxied-load.js';
import { type ProxyProgram, PROXIES, RunningProxy } from '../proxies/proxy-programs.js';
import { certificate } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { WatchClient } from '../support/watch-client.js';

/** `npm run program proxies`: watches, silent WebSockets and rolling restarts of two servers behind each proxy of docs/proxies.md; counts. */
const { values } = parseArgs({
  options: {
    /** Names of proxies, separated by commas. */
    only: { type: 'string', default: 'nginx,haproxy,envoy,traefik,caddy' },
    /** How long WebSockets are silent, beyond the idle limit of 30 s. */
    silence: { type: 'string', default: '35' },
    restarts: { type: 'string', default: '2' },
  },
});

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const FLAGS = ['--tls-san=leases.example', '--anonymous-auth-paths=/livez,/readyz', '--goaway-chance=0.02'];
const EVENTS = 50;
const WEB_SOCKETS = 10;
const IDLE_SECONDS = 30;

/** Two servers on one database, which keep their ports when they are restarted. */
class Pair {
  readonly servers: ServerProcess[];

  constructor(private readonly first: readonly ServerProcess[]) {
    this.servers = [...first];
  }

  static async start(): Promise<Pair> {
    const one = await startServerProcess({ flags: FLAGS });
    return new Pair([one, await startServerProcess({ flags: FLAGS, databaseUrl: one.databaseUrl })]);
  }

  /** One after the other, with a pause in which the proxy finds out that the first is back. */
  async restart(): Promise<void> {
    for (const [at, server] of [...this.servers.entries()]) {
      const { port, dataDir, databaseUrl } = server;
      server.signal('SIGTERM');
      await eventually(() => server.exitCode() !== null);
      this.servers[at] = await startServerProcess({ flags: FLAGS, databaseUrl, dataDir, port });
      await pause(3000);
    }
  }

  /** The first ones own database and folders. */
  async stop(): Promise<void> {
    for (const server of [...this.servers, ...[...this.first].reverse()]) await server.stop();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const WATCHED = `${LEASES}?watch=true&fieldSelector=metadata.name=watched`;

/** Opens a watch, and answers how many events it has seen; -1 once it has ended. */
async function http2Watch(url: string): Promise<{ readonly seen: () => number; readonly close: () => void }> {
  const session = http2.connect(url, { rejectUnauthorized: false });
  const stream = session.request({ ':path': WATCHED, authorization: 'Bearer admin-token' });
  let events = 0;
  stream.on('data', (chunk: Buffer) => (events += chunk.toString().split('\n').length - 1)).on('error', () => undefined);
  await once(stream, 'response');
  return { seen: () => (stream.closed ? -1 : events), close: () => session.destroy() };
}

/** Milliseconds from a write until its event arrives at each watch, sorted. */
async function watchDelays(url: string, proxy: ProxyProgram): Promise<number[]> {
  const overHttp1 = new WatchClient(url + WATCHED);
  await overHttp1.response;
  const overHttp2 = proxy.http2 ? await http2Watch(url) : undefined;
  const counts = [() => overHttp1.events.length, ...(overHttp2 ? [overHttp2.seen] : [])];
  const { ask, close } = http1Asker(url);
  const delays: number[] = [];
  for (let at = 1; at <= EVENTS; at++) {
    const before = counts.map((count) => count());
    const began = performance.now();
    await ask('PUT', `${LEASES}/watched/lock?holder=me&duration=${at}s`);
    const arrivals = counts.map(async (count, index) => {
      const until = performance.now() + 20_000;
      while (count() !== -1 && count() <= (before[index] ?? 0) && performance.now() < until) await pause(1);
      if (count() === -1) throw new Error('the watch over HTTP/2 has ended');
      delays.push(performance.now() - began);
    });
    await Promise.all(arrivals);
    await pause(20);
  }
  await ask('DELETE', `${LEASES}/watched`);
  overHttp1.abort();
  overHttp2?.close();
  close();
  return delays.sort((a, b) => a - b);
}

/** Opens WebSockets on which nothing happens, and counts those that still tell of a change at the end. */
async function survivingWebSockets(url: string): Promise<number> {
  const heard = new Set<WebSocket>();
  const sockets = Array.from({ length: WEB_SOCKETS }, () => {
    const path = `${LEASES}?watch=true&fieldSelector=metadata.name=silent`;
    const headers = { authorization: 'Bearer admin-token' };
    const socket = new WebSocket(`${url.replace('https', 'wss')}${path}`, { rejectUnauthorized: false, headers, origin: 'https://x' });
    return socket.on('message', () => heard.add(socket)).on('error', () => undefined);
  });
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  await pause(Number(values.silence) * 1000);
  const { ask, close } = http1Asker(url);
  await ask('POST', LEASES, { metadata: { name: 'silent' } });
  await pause(1000);
  await ask('DELETE', `${LEASES}/silent`);
  close();
  for (const socket of sockets) socket.terminate();
  return heard.size;
}

async function measure(proxy: ProxyProgram, pair: Pair): Promise<boolean> {
  const certificates = await Promise.all(pair.servers.map(async (server) => (await apiAccess(server)).ca));
  const [port = 0] = await freePorts(1);
  const site = {
    ...{ port, servers: pair.servers.map((server) => server.port), idleSeconds: IDLE_SECONDS },
    ...{ authorities: certificates.join('\n'), certificate: await certificate('CN=leases.example') },
  };
  const running = new RunningProxy(proxy, site);
  try {
    const url = `https://127.0.0.1:${port}`;
    const { ask, close } = http1Asker(url);
    await eventually(async () => running.hasEnded || (await ask('GET', '/readyz')).status === 200);
    close();
    const delays = await watchDelays(url, proxy);
    const webSockets = await survivingWebSockets(url);
    const load = new ProxiedLoad(url, { clients: 3, http2: proxy.http2 });
    for (let restarts = 0; restarts < Number(values.restarts); restarts++) await pair.restart();
    await load.stop();
    const [median, longest] = [delays[delays.length >> 1] ?? NaN, delays.at(-1) ?? NaN];
    console.log(
      `${proxy.program}: ${delays.length} events after ${median.toFixed(1)} ms, at most ${longest.toFixed(1)}; ` +
        `${webSockets} of ${WEB_SOCKETS} WebSockets after ${values.silence} s; ` +
        `${load.requests} requests during ${2 * Number(values.restarts)} restarts, ${load.failed} failed`,
    );
    for (const failure of load.failures) console.log(`  ${failure}`);
    return webSockets === WEB_SOCKETS && load.failed === 0;
  } catch (error) {
    console.log(`${proxy.program}: ${(error as Error).message}\n${running.said.slice(-2000)}`);
    return false;
  } finally {
    await running.stop();
  }
}

await using _shared = await startSharedPostgres();
const pair = await Pair.start();
let passed = true;
for (const proxy of PROXIES.filter(({ program }) => values.only.split(',').includes(program))) {
  const reason = whyNot(proxy);
  if (reason === undefined) passed = (await measure(proxy, pair)) && passed;
  else console.log(`${proxy.program}: skipped, ${reason}`);
}
await pair.stop();
process.exit(passed ? 0 : 1);
