import type { TestCertificate } from '../../../../test/support/certificates.js';
import { authority, clientCertificate } from '../../../../test/support/certificates.js';
import { CertificateVerifier } from './certificate-verifier.js';
import { X509Authenticator } from './x509-authenticator.js';

const UID = '1.3.6.1.4.1.57683.2';
let root: TestCertificate;
beforeAll(async () => (root = await authority('root')));

function authenticate(shown: TestCertificate) {
  const authenticator = new X509Authenticator(new CertificateVerifier([root.x509], Date.now));
  const connection = { certificates: [shown.x509] };
  const request = { headers: {}, rawHeaders: [], url: { path: '/' }, connection, warn: () => undefined };
  const user = authenticator.authenticate(request);
  expect(authenticator.authenticate(request)).toBe(user);
  return user;
}

describe('X509Authenticator', () => {
  it('takes CN for the user, each O for a group, and tells which certificate it was', async () => {
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

  it('takes the uid from its attribute, if there is exactly one', async () => {
    const withUids = (...uids: string[]) => clientCertificate(root, [{ CN: ['ann'] }, ...uids.map((uid) => ({ [UID]: [uid] }))]);
    expect(authenticate(await withUids('u1'))?.uid).toBe('u1');
    const [two, empty] = [await withUids('u1', 'u2'), await withUids('')];
    expect(() => authenticate(two)).toThrow('expected 1 UID, but found multiple: [u1 u2]');
    expect(() => authenticate(empty)).toThrow('UID cannot be an empty string');
  });

  it('takes the last of several names, as Go does, and knows nobody without one', async () => {
    expect(authenticate(await clientCertificate(root, 'CN=first,CN=last'))?.name).toBe('last');
    expect(authenticate(await clientCertificate(root, 'O=dev'))).toBeUndefined();
  });

  it('takes no text for another one because of what stands in it', async () => {
    const user = authenticate(await clientCertificate(root, [{ CN: ['ann\nO=system:masters'] }]));
    expect([user?.name, user?.groups]).toEqual(['ann\nO=system:masters', ['system:authenticated']]);
  });
});
