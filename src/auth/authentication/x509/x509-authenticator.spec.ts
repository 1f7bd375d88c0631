import { type TestCertificate, authority, clientCertificate } from '../../../../test/support/certificates.js';
import { CertificateVerifier } from './certificate-verifier.js';
import { X509Authenticator } from './x509-authenticator.js';

const UID = '1.3.6.1.4.1.57683.2';
let root: TestCertificate;
beforeAll(async () => (root = await authority('root')));

function authenticate(shown: TestCertificate) {
  const authenticator = new X509Authenticator(new CertificateVerifier([root.x509], Date.now));
  const connection = { certificates: [shown.x509] };
  const notes = { warn: () => undefined, cameThroughProxy: () => undefined };
  const request = { headers: {}, rawHeaders: [], url: { path: '/' }, connection, ...notes };
  const user = authenticator.authenticate(request);
  expect(authenticator.authenticate(request)).toBe(user);
  return user;
}

describe('X509Authenticator', () => {
  it('maps CN to the user and each O to a group, and reports the certificate', async () => {
    const shown = await clientCertificate(root, 'CN=ann,O=dev,OU=none,O=zwölf\\, ops');
    expect(authenticate(shown)).toEqual({
      name: 'ann',
      uid: '',
      groups: ['dev', 'zwölf, ops', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [`X509SHA256=${shown.x509.fingerprint256.replaceAll(':', '').toLowerCase()}`],
      },
    });
  });

  it('reads the uid from its attribute, if there is exactly one', async () => {
    const withUids = (...uids: string[]) => clientCertificate(root, [{ CN: ['ann'] }, ...uids.map((uid) => ({ [UID]: [uid] }))]);
    expect(authenticate(await withUids('u1'))?.uid).toBe('u1');
    const [two, empty] = [await withUids('u1', 'u2'), await withUids('')];
    expect(() => authenticate(two)).toThrow('expected 1 UID, but found multiple: [u1 u2]');
    expect(() => authenticate(empty)).toThrow('UID cannot be an empty string');
  });

  it('uses the last of several CNs, as Go does, and authenticates no one without one', async () => {
    expect(authenticate(await clientCertificate(root, 'CN=first,CN=last'))?.name).toBe('last');
    expect(authenticate(await clientCertificate(root, 'O=dev'))).toBeUndefined();
  });

  it('does not confuse attributes because of special characters in their values', async () => {
    const user = authenticate(await clientCertificate(root, [{ CN: ['ann\nO=system:masters'] }]));
    expect([user?.name, user?.groups]).toEqual(['ann\nO=system:masters', ['system:authenticated']]);
  });
});
