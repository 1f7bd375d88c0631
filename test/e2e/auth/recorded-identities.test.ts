import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { forAllTests } from '../../support/for-tests.js';
import { RequestHeaderAuthenticator } from '../../../src/auth/authentication/request-header/request-header-authenticator.js';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { X509Authenticator } from '../../../src/auth/authentication/x509/x509-authenticator.js';
import { type Identity, identitiesOf, refusedProxiesOf } from '../../certificates/identity.js';
import { type Issued, pemOf } from '../../certificates/issue.js';
import { type ProxyAnswers, answersTo, makeProxies } from '../../certificates/proxy-requests.js';
import { makeShapes } from '../../certificates/shapes.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

interface Recorded {
  readonly certificates: Readonly<Record<string, Identity | 'refused'>>;
  readonly refusedProxies: readonly string[];
  readonly headers: ProxyAnswers;
}

/** What a kube-apiserver 1.37 answered to the same clients (test/certificates/record.ts). */
const recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../certificates/recorded.json'), 'utf8')) as Recorded;

/** node:http2 resets requests with blanks around a value, as RFC 9113 wants; kube-apiserver and the own implementation keep them. */
const NODE_REFUSES = { 'a user of blanks, HTTP/2': 'refused', 'a user between blanks, HTTP/2': 'refused' } as const;

/** Mailboxes in quotes are not compared with constraints, and no more than sixteen certificates of a client are read. */
const STRICTER = {
  'an email constraint and a mailbox in quotes': 'refused',
  'the right authority after twenty unneeded ones': 'refused',
} as const;

const x509Of = ({ der }: Issued) => new X509Certificate(der);
const shapes = makeShapes();
const trusted = [...new Set(shapes.flatMap((shape) => shape.trusted))];
const proxies = makeProxies();
const { flags } = proxies;
const names = {
  allowedNames: flags['allowed-names'],
  username: flags['username-headers'],
  uid: flags['uid-headers'],
  group: flags['group-headers'],
  extraPrefix: flags['extra-headers-prefix'],
};

describe.each(['own', 'node'] as const)('with the %s implementation of HTTP/2', (implementation) => {
  const server = forAllTests(() => startServer(implementation));

  test('clients with certificates of every shape are whom kube-apiserver takes them for', async () => {
    expect(await identitiesOf(server.port, shapes)).toEqual({ ...recorded.certificates, ...STRICTER });
  });

  test('front proxies with certificates of every shape are heard where kube-apiserver hears them', async () => {
    const authenticator = new RequestHeaderAuthenticator(new CertificateVerifier(trusted.map(x509Of), Date.now), {
      ...names,
      allowedNames: [],
    });
    const authorities = trusted.map(pemOf).join('');
    await using proxied = await startTestServer({
      settings: { anonymousAuth: false, http2Implementation: implementation },
      certificates: { authenticators: [authenticator], authorities },
    });
    expect((await refusedProxiesOf(proxied.port, shapes)).toSorted()).toEqual(
      [...recorded.refusedProxies, ...Object.keys(STRICTER)].toSorted(),
    );
  });

  test('users whom a front proxy names are whom kube-apiserver takes them for', async () => {
    expect(await answersTo(server.port, proxies)).toEqual({ ...recorded.headers, ...(implementation === 'node' ? NODE_REFUSES : {}) });
  });
});

function startServer(http2Implementation: 'own' | 'node'): Promise<TestServer> {
  return startTestServer({
    settings: { anonymousAuth: false, http2Implementation },
    certificates: {
      authenticators: [
        new RequestHeaderAuthenticator(new CertificateVerifier([x509Of(proxies.authority)], Date.now), names),
        new X509Authenticator(new CertificateVerifier(trusted.map(x509Of), Date.now)),
      ],
      authorities: [...trusted, proxies.authority].map(pemOf).join(''),
    },
  });
}
