import { once } from 'node:events';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MemoryLedger } from '../../src/endpoints/ledger/memory-ledger.js';
import { createApiHttpServer } from '../../src/endpoints/http-server/api-http-server.js';
import { secureContextOptions } from '../../src/endpoints/http-server/tls-material.js';
import { readBody } from '../../src/endpoints/exchange/read-body.js';
import type { RawRequest, RawResponse } from '../../src/endpoints/exchange/raw-exchange.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';
import { buildGoTool } from './go-programs.js';
import { runProgram } from './run-program.js';
import { describeWith, GO } from './toolchain.js';

/**
 * The suite of github.com/summerwind/h2spec. The handler behind the HTTP layer answers only complete requests: an earlier answer to a
 * refused request would hide how the rest of it is treated.
 */
describeWith([GO], 'h2spec', () => {
  let server: Server;
  let binary: string;

  beforeAll(async () => {
    binary = await buildGoTool('github.com/summerwind/h2spec/cmd/h2spec');
    const tls = await issueServingCertificate(await createAuthority(Date.now()), { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now());
    const answerWhole = (raw: RawRequest, response: RawResponse) => {
      const answer = () => {
        if (!response.destroyed) response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(200));
      };
      readBody(raw).then(() => setImmediate(answer), () => undefined); // prettier-ignore
    };
    const ledger = new MemoryLedger();
    server = createApiHttpServer({
      requestClientCertificates: false,
      maxStreams: 100,
      http2Implementation: 'own',
      ledger: () => ledger,
      listener: answerWhole,
    });
    server.setSecureContext(secureContextOptions(tls));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }, 600_000);
  afterAll(() => void server.close());

  test('passes every case', async () => {
    const { port } = server.address() as AddressInfo;
    const { code, stdout } = await runProgram(binary, ['--tls', '--insecure', '--host=127.0.0.1', `--port=${port}`]);
    expect(stdout).toMatch(/\d{3} tests, \d{3} passed, 0 skipped, 0 failed/);
    expect(code).toBe(0);
  });
});
