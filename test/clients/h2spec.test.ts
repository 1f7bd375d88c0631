import { once } from 'node:events';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MemoryLedger } from '../../src/endpoints/ledger/memory-ledger.js';
import { createApiHttpServer } from '../../src/endpoints/pipeline/api-http-server.js';
import { readBody } from '../../src/endpoints/request/body-reader.js';
import type { RawRequest, RawResponse } from '../../src/endpoints/request/raw-exchange.js';
import { createAuthority, issueServingCertificate } from '../../src/server/tls/certificate-authority.js';
import { buildGoTool } from './go-programs.js';
import { runProgram } from './run-program.js';
import { describeWith, GO } from './toolchain.js';

/**
 * The suite of github.com/summerwind/h2spec. Behind the HTTP layer stands a handler that answers when the whole request is there: what
 * a refused request is answered, before that, would hide what becomes of the rest of it.
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
    server = createApiHttpServer({
      tls,
      limits: { maxConnections: 0, maxStreams: 100, goawayChance: 0 },
      http2Implementation: 'own',
      ledger: new MemoryLedger(),
      listener: answerWhole,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }, 600_000);
  afterAll(() => void server.close());

  test('finds nothing wrong, of all that it knows', async () => {
    const { port } = server.address() as AddressInfo;
    const { code, stdout } = await runProgram(binary, ['--tls', '--insecure', '--host=127.0.0.1', `--port=${port}`]);
    expect(stdout).toMatch(/\d{3} tests, \d{3} passed, 0 skipped, 0 failed/);
    expect(code).toBe(0);
  });
});
