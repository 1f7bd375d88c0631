import { type TestCertificate, authority, clientCertificate } from '../../../../test/support/certificates.js';
import { CertificateVerifier } from '../x509/certificate-verifier.js';
import { RequestHeaderAuthenticator } from './request-header-authenticator.js';

let root: TestCertificate;
let proxy: TestCertificate;
beforeAll(async () => {
  root = await authority('proxies');
  proxy = await clientCertificate(root, 'CN=front-proxy');
});

const NAMES = {
  allowedNames: ['front-proxy'],
  username: ['X-Remote-User', 'X-Other-User'],
  uid: ['X-Remote-Uid'],
  group: ['X-Remote-Group', ' X-More-Groups '],
  extraPrefix: ['X-Remote-Extra-'],
};

/** Whether the last request was noted as a proxy's. */
let proxied = false;
/** `headers` as received: alternating names and values. */
function authenticate(headers: string[], shown: TestCertificate[] = [proxy], names = NAMES) {
  const authenticator = new RequestHeaderAuthenticator(new CertificateVerifier([root.x509], Date.now), names);
  const connection = { certificates: shown.map(({ x509 }) => x509) };
  const notes = { warn: () => undefined, cameThroughProxy: () => (proxied = true) };
  proxied = false;
  return authenticator.authenticate({ headers: {}, rawHeaders: headers, url: { path: '/' }, connection, ...notes });
}

describe('RequestHeaderAuthenticator', () => {
  it('reads user, uid, groups and extra values from the headers of a proxy, case-insensitively and including repeated ones', () => {
    const user = authenticate([
      ...['x-remote-user', 'ann', 'X-Remote-UID', 'u1', 'X-Remote-Group', 'a, b', 'X-REMOTE-GROUP', '', 'X-Remote-Group', 'c'],
      ...['X-More-Groups', 'd', 'X-Remote-Extra-Scopes', 'one', 'X-Remote-Extra-scopes', 'two', 'X-Remote-Extra-Acme.com%2Fproject', 'p'],
    ]);
    expect(user).toEqual({
      name: 'ann',
      uid: 'u1',
      groups: ['a, b', 'c', 'd'],
      extra: { scopes: ['one', 'two'], 'acme.com/project': ['p'] },
    });
  });

  it('notes which requests came through a proxy', () => {
    authenticate(['X-Remote-User', 'ann']);
    expect(proxied).toBe(true);
    for (const [headers, shown] of [
      [['X-Remote-User', ''], [proxy]],
      [['X-Remote-User', 'ann'], []],
    ] as const) {
      authenticate([...headers], [...shown]);
      expect(proxied).toBe(false);
    }
  });

  it('decodes names as UTF-8', () => {
    expect(authenticate(['X-Remote-User', Buffer.from('jörg').toString('latin1')])?.name).toBe('jörg');
  });

  it('uses the first user header with a value, and authenticates no one if none has one', () => {
    expect(authenticate(['X-Other-User', 'bob', 'X-Remote-User', ''])?.name).toBe('bob');
    expect(authenticate(['X-Remote-User', '', 'X-Remote-User', 'ann'])).toBeUndefined();
    expect(authenticate(['X-Remote-Group', 'system:masters'])).toBeUndefined();
  });

  it('keeps extra keys that are JavaScript object properties apart', () => {
    expect(authenticate(['X-Remote-User', 'ann', 'X-Remote-Extra-__proto__', 'x'])?.extra['__proto__']).toEqual(['x']);
  });

  it('ignores headers without a client certificate, and refuses an untrusted one', async () => {
    expect(authenticate(['X-Remote-User', 'ann'], [])).toBeUndefined();
    const stranger = await clientCertificate(await authority('proxies'), 'CN=front-proxy');
    expect(() => authenticate(['X-Remote-User', 'ann'], [stranger])).toThrow('signed by unknown authority');
  });

  it('accepts only proxies with an allowed name, or any if no names are configured', async () => {
    const other = await clientCertificate(root, 'CN=other');
    expect(() => authenticate(['X-Remote-User', 'ann'], [other])).toThrow('subject with cn=other is not in the allowed list');
    expect(authenticate(['X-Remote-User', 'ann'], [other], { ...NAMES, allowedNames: [] })?.name).toBe('ann');
  });
});
