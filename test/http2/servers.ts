import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Http2Implementation } from '../../src/endpoints/connections/open-connection.js';
import { MemoryLedger } from '../../src/endpoints/ledger/memory-ledger.js';
import { createApiHttpServer } from '../../src/endpoints/http-server/api-http-server.js';
import { secureContextOptions } from '../../src/endpoints/http-server/tls-material.js';
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

/** One of this repository's HTTP/2 implementations, with only the handler behind it. */
export async function startOurs(name: Http2Implementation): Promise<ComparedServer> {
  const tls = await issueServingCertificate(await createAuthority(Date.now()), { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
  const ledger = new MemoryLedger();
  const server = createApiHttpServer({
    requestClientCertificates: false,
    maxStreams: 100,
    http2Implementation: name,
    ledger: () => ledger,
    listener: respond,
  });
  server.setSecureContext(secureContextOptions(tls));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { name, port: (server.address() as AddressInfo).port, stop: () => void server.close() };
}

/** Go's net/http in a child process. */
export async function startGo(): Promise<ComparedServer> {
  const binary = path.join(clientCache('go'), 'http2server');
  await mustRun('go', ['build', '-o', binary, '.'], { cwd: path.join(import.meta.dirname, 'go') });
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { name: 'go', port: Number(port.toString()), stop: () => child.stdin.end() };
}
