import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Http2Implementation } from '../../src/endpoints/connections/http2-session.js';
import { MemoryLedger } from '../../src/endpoints/ledger/memory-ledger.js';
import { createApiHttpServer } from '../../src/endpoints/pipeline/api-http-server.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';
import { clientCache } from '../clients/client-cache.js';
import { mustRun } from '../clients/run-program.js';
import { respond } from './responder.js';

export type ServerName = Http2Implementation | 'go';

export interface ComparedServer {
  readonly name: ServerName;
  readonly port: number;
  stop(): void;
}

/** One of this repository's implementations of HTTP/2, with nothing but the handler behind it. */
export async function startOurs(name: Http2Implementation): Promise<ComparedServer> {
  const tls = await issueServingCertificate(await createAuthority(Date.now()), { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
  const server = createApiHttpServer({
    tls,
    limits: { maxConnections: 0, maxStreams: 100, goawayChance: 0 },
    http2Implementation: name,
    ledger: new MemoryLedger(),
    listener: respond,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { name, port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}

/** Go's net/http, as a process of its own. */
export async function startGo(): Promise<ComparedServer> {
  const binary = path.join(clientCache('go'), 'http2server');
  await mustRun('go', ['build', '-o', binary, '.'], { cwd: path.join(import.meta.dirname, 'go') });
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { name: 'go', port: Number(port.toString()), stop: () => child.stdin.end() };
}
