import {
  type CertificateRequest,
  type TestCertificate,
  authority,
  certificate,
  clientCertificate,
  extension,
} from '../../../../test/support/certificates.js';
import { CertificateVerifier } from './certificate-verifier.js';

const NAME_CONSTRAINTS = '2.5.29.30';
let root: TestCertificate;
let other: TestCertificate;
beforeAll(async () => {
  root = await authority('root');
  other = await authority('root');
});

const connectionWith = (...shown: TestCertificate[]) => ({ certificates: shown.map(({ x509 }) => x509) });
let time: number;
beforeEach(() => (time = Date.now()));
const verifier = (...roots: TestCertificate[]) =>
  new CertificateVerifier(
    roots.map(({ x509 }) => x509),
    () => time,
  );
const check =
  (...shown: TestCertificate[]) =>
  () =>
    verifier(root).verify(connectionWith(...shown));
const client = (request: CertificateRequest = {}) => clientCertificate(request.issuer ?? root, 'CN=ann', request);

describe('CertificateVerifier', () => {
  it('accepts a certificate of a trusted CA, for clients or for any purpose', async () => {
    expect(check(await client())()?.fields.subject).toEqual([{ type: '2.5.4.3', value: 'ann' }]);
    expect(check(await certificate('CN=ann', { issuer: root }))()).toBeDefined();
  });

  it('returns undefined without a certificate', () => {
    expect(check()()).toBeUndefined();
    expect(verifier(root).verify(undefined)).toBeUndefined();
  });

  it('accepts a certificate that is itself trusted, and one of several trusted CAs', async () => {
    const own = await certificate('CN=own', { usages: ['clientAuth'] });
    expect(verifier(own).verify(connectionWith(own))).toBeDefined();
    expect(verifier(other, root).verify(connectionWith(await client()))).toBeDefined();
  });

  it.each<[string, CertificateRequest, string]>([
    ['has expired', { notAfter: -1000 }, 'has expired or is not yet valid'],
    ['is not valid yet', { notBefore: 60_000 }, 'has expired or is not yet valid'],
    ['is only for servers', { usages: ['serverAuth'] }, 'incompatible key usage'],
    ['has an unknown critical extension', { extensions: [extension('1.2.3.4', true, '0500')] }, 'critical extension 1.2.3.4'],
  ])('refuses a certificate that %s', async (_what, request, message) => {
    expect(check(await client(request))).toThrow(message);
  });

  it('refuses a certificate of a CA with the same name and another key, and a forged one', async () => {
    expect(check(await client({ issuer: other }))).toThrow('signed by unknown authority');
    expect(check(await client({ issuer: root, signWith: other }))).toThrow('signed by unknown authority');
    expect(check(await certificate('CN=ann'))).toThrow('signed by unknown authority');
  });

  it('finds a chain through intermediate CAs in any order', async () => {
    const first = await authority('first', { issuer: root });
    const second = await authority('second', { issuer: first });
    const leaf = await client({ issuer: second });
    for (const sent of [
      [second, first],
      [first, second],
      [other, second, first, root],
    ]) {
      expect(check(leaf, ...sent)()).toBeDefined();
    }
    expect(check(leaf, second)).toThrow('signed by unknown authority');
  });

  it.each<[string, CertificateRequest, string]>([
    ['is not a CA', { pathLength: undefined }, 'unknown authority'],
    ['has expired', { notAfter: -1000 }, 'has expired'],
    ['is only for servers', { usages: ['serverAuth'] }, 'incompatible key usage'],
    ['has an unknown critical extension', { extensions: [extension('1.2.3.5', true, '0500')] }, 'critical extension 1.2.3.5'],
  ])('refuses a certificate below one that %s', async (_what, request, message) => {
    const between = await authority('between', { issuer: root, ...request });
    expect(check(await client({ issuer: between }), between)).toThrow(message);
  });

  it('enforces the path length of a CA', async () => {
    const strict = await authority('strict', { issuer: root, pathLength: 0 });
    const below = await authority('below', { issuer: strict });
    expect(check(await client({ issuer: strict }), strict)()).toBeDefined();
    expect(check(await client({ issuer: below }), below, strict)).toThrow('path length');
  });

  it('enforces name constraints on alternative names', async () => {
    const limits = extension(NAME_CONSTRAINTS, true, '300aa00830068204612e6578');
    const between = await authority('between', { issuer: root, extensions: [limits] });
    expect(check(await client({ issuer: between }), between)()).toBeDefined();
    const named = extension('2.5.29.17', false, '30058203612e62');
    expect(check(await client({ issuer: between, extensions: [named] }), between)).toThrow('constraints of its authorities');
  });

  it('stops after a limited number of signatures when a client sends many CAs with one name', async () => {
    const between = await authority('between', { issuer: root });
    const leaf = await client({ issuer: between });
    const fakes = await Promise.all(Array.from({ length: 31 }, () => authority('between', { issuer: root })));
    expect(check(leaf, ...fakes.slice(0, 10), between)()).toBeDefined();
    expect(check(leaf, ...fakes, between)).toThrow('signed by unknown authority');
  });
});

describe('the cached result of a connection', () => {
  it('expires with the certificate', async () => {
    const connection = connectionWith(await client({ notAfter: 5000 }));
    const verifies = verifier(root);
    const first = verifies.verify(connection);
    expect(verifies.verify(connection)).toBe(first);
    time += 6000;
    expect(() => verifies.verify(connection)).toThrow('has expired');
  });

  it('changes when its CA becomes trusted or untrusted', async () => {
    const connection = connectionWith(await client());
    const verifies = verifier(root);
    verifies.verify(connection);
    verifies.replace([other.x509]);
    expect(() => verifies.verify(connection)).toThrow('unknown authority');
    verifies.replace([other.x509, root.x509]);
    expect(verifies.verify(connection)).toBeDefined();
  });

  it('is checked again if time may make the certificate valid', async () => {
    const connection = connectionWith(await client({ notBefore: 3000 }));
    const verifies = verifier(root);
    expect(() => verifies.verify(connection)).toThrow('not yet valid');
    time += 5000;
    expect(verifies.verify(connection)).toBeDefined();
  });
});
