import { once } from 'node:events';
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import http2 from 'node:http2';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RequestHeaderAuthenticator } from '../../../src/auth/authentication/request-header/request-header-authenticator.js';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { authority, clientCertificate } from '../../support/certificates.js';
import type { TestCertificate } from '../../support/certificates.js';
import type { TestServer } from '../../support/test-server.js';
import { startTestServer } from '../../support/test-server.js';

const MAX_STREAMS = 20;
const PROXY_STREAMS = 3;
const WATCH = '/apis/coordination.k8s.io/v1/leases?watch=true';
const PROXIED = { 'x-remote-user': 'ann' };
const DIRECT = { authorization: 'Bearer admin-token' };

let server: TestServer;
let proxy: TestCertificate;

beforeAll(async () => {
  const proxies = await authority('proxies');
  proxy = await clientCertificate(proxies, 'CN=front-proxy');
  const names = { allowedNames: ['front-proxy'], username: ['X-Remote-User'], uid: [], group: [], extraPrefix: [] };
  const authenticators = [new RequestHeaderAuthenticator(new CertificateVerifier([proxies.x509], Date.now), names)];
  server = await startTestServer({
    certificates: { authenticators, authorities: proxies.cert },
    connections: { maxStreams: MAX_STREAMS, proxyStreams: PROXY_STREAMS },
  });
});
afterAll(() => server.close());

async function connect(): Promise<ClientHttp2Session> {
  const session = http2.connect(server.url, { rejectUnauthorized: false, cert: proxy.cert, key: proxy.key });
  await once(session, 'remoteSettings');
  return session;
}

async function statusOf(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders): Promise<unknown> {
  const [answer] = (await once(session.request({ ':path': path, ...headers }), 'response')) as [Record<string, unknown>];
  return answer[':status'];
}

test('a front proxy is offered fewer streams once it has sent a request, and those on their way are still served', async () => {
  const session = await connect();
  expect(session.remoteSettings.maxConcurrentStreams).toBe(MAX_STREAMS);
  const offered = once(session, 'remoteSettings');
  const watches = Array.from({ length: 2 * PROXY_STREAMS }, () => statusOf(session, WATCH, PROXIED));
  expect(await Promise.all(watches)).toEqual(Array.from({ length: 2 * PROXY_STREAMS }, () => 200));
  await offered;
  expect(session.remoteSettings.maxConcurrentStreams).toBe(PROXY_STREAMS);
  session.destroy();
});

test('other clients keep theirs, even with the certificate of a proxy', async () => {
  const session = await connect();
  expect(await statusOf(session, '/version', DIRECT)).toBe(200);
  expect(await statusOf(session, '/version', DIRECT)).toBe(200);
  expect(session.remoteSettings.maxConcurrentStreams).toBe(MAX_STREAMS);
  session.destroy();
});
