import type { TLSSocket } from 'node:tls';
import { forAllTests } from '../../support/for-tests.js';
import { RequestHeaderAuthenticator } from '../../../src/auth/authentication/request-header/request-header-authenticator.js';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { X509Authenticator } from '../../../src/auth/authentication/x509/x509-authenticator.js';
import { type TestCertificate, authority, clientCertificate } from '../../support/certificates.js';
import { type SecureRequest, secureRequest } from '../../support/secure-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** The authority in the server's file, and those below it: each has issued the next. */
let clients: TestCertificate;
let between: TestCertificate[];
let proxies: TestCertificate;
let proxiesBetween: TestCertificate;
let stranger: TestCertificate;

beforeAll(async () => {
  [clients, proxies] = [await authority('clients'), await authority('proxies')];
  proxiesBetween = await authority('proxies between', { issuer: proxies });
  stranger = await authority('stranger');
  between = [await authority('between 1', { issuer: clients })];
  for (let n = 2; n <= 10; n++) between.push(await authority(`between ${n}`, { issuer: between.at(-1) }));
});

function startServer(http2Implementation: 'own' | 'node'): Promise<TestServer> {
  const names = { allowedNames: ['front-proxy'], username: ['X-Remote-User'], uid: [], group: ['X-Remote-Group'], extraPrefix: [] };
  const verifier = ({ x509 }: TestCertificate) => new CertificateVerifier([x509], Date.now);
  return startTestServer({
    settings: { anonymousAuth: false, http2Implementation },
    certificates: {
      authenticators: [new RequestHeaderAuthenticator(verifier(proxies), names), new X509Authenticator(verifier(clients))],
      authorities: clients.cert + proxies.cert,
    },
  });
}

/** The user name under which the server knows the client, or the status if it refuses the client. */
async function nameOf({ port }: TestServer, request: SecureRequest): Promise<string | number> {
  const headers = { 'content-type': 'application/json', ...request.headers };
  const { status, text } = await secureRequest(port, { method: 'POST', path: WHO, body: '{}', ...request, headers });
  return status === 201 ? (JSON.parse(text) as { status: { userInfo: { username: string } } }).status.userInfo.username : status;
}

describe.each(['own', 'node'] as const)('with the %s implementation of HTTP/2', (implementation) => {
  const server = forAllTests(() => startServer(implementation));

  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('over %s', (version) => {
    describe.each(['http/1.1', 'h2'] as const)('and %s', (protocol) => {
      const who = (shows: TestCertificate[], request: SecureRequest = {}) =>
        nameOf(server, { protocol, shows, ...request, tls: { minVersion: version, maxVersion: version, ...request.tls } });

      test.each([0, 1, 2, 10])('a client with %i authorities between it and the trusted one is authenticated', async (count) => {
        const chain = between.slice(0, count);
        const ann = await clientCertificate(chain.at(-1) ?? clients, 'CN=ann');
        expect(await who([ann, ...chain.toReversed()])).toBe('ann');
        expect(await who([ann, ...chain, clients, stranger])).toBe('ann');
        if (count > 0) expect(await who([ann, ...chain.slice(0, -1)])).toBe(401);
      });

      test('a front proxy below an intermediate authority is trusted', async () => {
        const proxy = await clientCertificate(proxiesBetween, 'CN=front-proxy');
        const headers = { 'x-remote-user': 'bob' };
        expect(await who([proxy, proxiesBetween], { headers })).toBe('bob');
        expect(await who([proxy], { headers })).toBe(401);
        const [issuer] = between as [TestCertificate];
        expect(await who([await clientCertificate(issuer, 'CN=front-proxy'), issuer], { headers })).toBe('front-proxy');
      });

      test('a client that offers to resume its session is authenticated anew', async () => {
        const [issuer] = between as [TestCertificate];
        const shows = [await clientCertificate(issuer, 'CN=ann'), issuer];
        let session: Buffer | undefined;
        expect(await who(shows, { onConnection: (socket) => socket.on('session', (offered) => (session = offered)) })).toBe('ann');
        let second: TLSSocket | undefined;
        expect(await who(shows, { tls: { session }, onConnection: (socket) => (second = socket) })).toBe('ann');
        expect(second?.isSessionReused()).toBe(false);
      });
    });
  });
});
