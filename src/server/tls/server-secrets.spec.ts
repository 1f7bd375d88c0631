import { X509Certificate } from 'node:crypto';
import { servingNames } from './certificate-authority.js';
import { createServerSecrets, withFittingCertificate } from './server-secrets.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const DAY = 86_400_000;

test('the serving certificate is signed by the authority and valid for every name of the server', async () => {
  const secrets = await createServerSecrets(servingNames('192.0.2.7'), NOW);
  const serving = new X509Certificate(secrets.serving.cert);
  const authority = new X509Certificate(secrets.authority.cert);
  expect(serving.verify(authority.publicKey)).toBe(true);
  expect(serving.checkIssued(authority)).toBe(true);
  expect([authority.ca, serving.ca]).toEqual([true, false]);
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']) {
    expect(serving.checkHost(name)).toBeDefined();
  }
  for (const ip of ['127.0.0.1', '::1', '192.0.2.7']) expect(serving.checkIP(ip)).toBeDefined();
  expect(serving.checkHost('example.org')).toBeUndefined();
});

test('keys use P-256 and belong to their certificates', async () => {
  const { createPrivateKey } = await import('node:crypto');
  const { authority, serving } = await createServerSecrets(servingNames('0.0.0.0'), NOW);
  for (const pair of [authority, serving]) {
    const key = createPrivateKey(pair.key);
    expect(key.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(new X509Certificate(pair.cert).checkPrivateKey(key)).toBe(true);
  }
});

test('a valid certificate is kept; one that expires soon or lacks names is replaced by one of the same authority', async () => {
  const names = servingNames('0.0.0.0');
  const secrets = await createServerSecrets(names, NOW);
  expect(await withFittingCertificate(secrets, names, NOW + DAY)).toEqual(secrets);

  const later = await withFittingCertificate(secrets, names, NOW + 700 * DAY);
  const elsewhere = await withFittingCertificate(secrets, servingNames('192.0.2.9'), NOW);
  for (const renewed of [later, elsewhere]) {
    expect(renewed.authority).toBe(secrets.authority);
    expect(renewed.adminToken).toBe(secrets.adminToken);
    expect(new X509Certificate(renewed.serving.cert).verify(new X509Certificate(secrets.authority.cert).publicKey)).toBe(true);
  }
  expect(new X509Certificate(elsewhere.serving.cert).checkIP('192.0.2.9')).toBeDefined();
});

const HOUR = 3_600_000;

test.each([
  ['8 hours ahead', NOW + 8 * HOUR],
  ['11 years behind', NOW - 11 * 365 * DAY],
])('of an authority made while the clock was %s the certificate is made again for its key, and begins an hour early', async (_, then) => {
  const names = servingNames('0.0.0.0');
  const made = await createServerSecrets(names, then);
  const again = await withFittingCertificate(made, names, NOW);
  const [earlier, authority, serving] = [made.authority, again.authority, again.serving].map(({ cert }) => new X509Certificate(cert));
  for (const { validFromDate, validToDate } of [authority!, serving!]) {
    expect(validFromDate.getTime()).toBe(NOW - HOUR);
    expect(validToDate.getTime()).toBeGreaterThan(NOW + 365 * DAY);
  }
  expect([again.authority.key, again.adminToken, authority!.subject]).toEqual([made.authority.key, made.adminToken, earlier!.subject]);
  for (const trusted of [earlier!, authority!]) {
    expect([serving!.checkIssued(trusted), serving!.verify(trusted.publicKey)]).toEqual([true, true]);
  }
  expect(await withFittingCertificate(again, names, NOW)).toEqual(again);
});

test('a serving certificate that is missing, or not valid yet, is issued by the authority', async () => {
  const names = servingNames('0.0.0.0');
  const { authority, adminToken } = await createServerSecrets(names, NOW);
  const ahead = (await withFittingCertificate({ authority, adminToken }, names, NOW + 8 * HOUR)).serving;
  const { serving, authority: kept } = await withFittingCertificate({ authority, adminToken, serving: ahead }, names, NOW);
  expect(kept).toBe(authority);
  expect(new X509Certificate(serving.cert).validFromDate.getTime()).toBe(NOW - HOUR);
});

test('the certificate includes additional names as well as those of the machine', async () => {
  const { serving } = await createServerSecrets(servingNames('0.0.0.0', ['leases.example.org', '198.51.100.4', '2001:db8::4']), NOW);
  const cert = new X509Certificate(serving.cert);
  expect([cert.checkHost('leases.example.org'), cert.checkHost('localhost')]).not.toContain(undefined);
  for (const ip of ['198.51.100.4', '2001:db8::4', '127.0.0.1']) expect(cert.checkIP(ip)).toBeDefined();
});
