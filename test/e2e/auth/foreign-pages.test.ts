import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { X509Authenticator } from '../../../src/auth/authentication/x509/x509-authenticator.js';
import { type TestCertificate, authority, clientCertificate } from '../../support/certificates.js';
import { secureRequest } from '../../support/secure-client.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ALLOWED = 'https://dashboard.example';
const EVIL = 'https://evil.example';
const TOKEN = { authorization: 'Bearer admin-token' };
const LEASE = JSON.stringify({ metadata: { generateName: 'page-' } });

/** What browsers send for a page of another site, of another port or subdomain, in a frame, and without Fetch Metadata. */
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty', origin: EVIL },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'unheard-of' },
  { origin: EVIL },
  { origin: 'null' },
  { origin: 'https://dashboard.example.evil.example' },
];

describe.each(['http/1.1', 'h2'] as const)('pages of other sites over %s', (protocol) => {
  let alice: TestCertificate;

  const server = forAllTests(async () => {
    const clients = await authority('clients');
    alice = await clientCertificate(clients, 'CN=alice');
    return startTestServer({
      certificates: {
        authenticators: [new X509Authenticator(new CertificateVerifier([clients.x509], Date.now))],
        authorities: clients.cert,
      },
      settings: { webSocketAllowedOrigins: [ALLOWED] },
    });
  });

  const send = (path: string, method: string, headers: Record<string, string>, certificate?: TestCertificate) => {
    const body = method === 'POST' ? LEASE : undefined;
    return secureRequest(server.port, {
      protocol,
      path,
      method,
      headers,
      ...(body ? { body } : {}),
      ...(certificate ? { shows: [certificate] } : {}),
    });
  };

  test('cannot use a certificate, or the anonymous rights of the place where the browser is', async () => {
    for (const page of FOREIGN) {
      for (const certificate of [alice, undefined]) {
        for (const [method, path] of [
          ['POST', LEASES],
          ['GET', LEASES],
          ['GET', '/version'],
          ['GET', '/nothing'],
        ] as const) {
          for (const type of [{}, { 'content-type': 'text/plain' }] as Record<string, string>[]) {
            const { status, text } = await send(path, method, { ...page, ...type }, certificate);
            expect([page, method, path, status]).toEqual([page, method, path, 403]);
            expect(JSON.parse(text)).toMatchObject({ kind: 'Status', message: 'forbidden: pages of other sites must send a token' });
          }
        }
      }
    }
    expect((JSON.parse((await send(LEASES, 'GET', TOKEN)).text) as { items: unknown[] }).items).toEqual([]);
  });

  test('can use a token that they have', async () => {
    for (const page of FOREIGN) expect((await send(LEASES, 'POST', { ...page, ...TOKEN }, alice)).status).toBe(201);
  });

  test('may link to this server; its own and allowed pages, and clients that are no browsers, use certificates', async () => {
    const own = `https://127.0.0.1:${server.port}`;
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await send(LEASES, 'GET', link, alice)).status).toBe(200);
    expect((await send(LEASES, 'POST', link, alice)).status).toBe(403);
    expect((await send('/ui/', 'GET', FOREIGN[0]!, alice)).status).not.toBe(403);
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: own },
      { 'sec-fetch-site': 'same-origin', origin: 'https://name.before.a.proxy' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: ALLOWED },
      { origin: own },
      { origin: ALLOWED },
      {},
    ] as Record<string, string>[]) {
      expect([headers, (await send(LEASES, 'POST', { host: `127.0.0.1:${server.port}`, ...headers }, alice)).status]).toEqual([
        headers,
        201,
      ]);
    }
  });
});
