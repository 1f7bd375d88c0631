import { rename, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import path from 'node:path';
import tls from 'node:tls';
import { forAllTests } from '../../support/for-tests.js';
import { type TestCertificate, authority, certificate, clientCertificate, extension } from '../../support/certificates.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { secureRequest } from '../../support/secure-client.js';
import { startServerProcess } from '../../support/server-process.js';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
/** DER of the alternative names 127.0.0.1 and localhost. */
const LOCAL_NAMES = '301187047f00000182096c6f63616c686f7374';

const dir = scratchDirectory();
let [first, second]: TestCertificate[] = [];
let proxies: TestCertificate;
let serving: TestCertificate[];

const file = (name: string) => path.join(dir, name);
/** Replaces a file atomically, as certificate tools do. */
async function place(name: string, text: string): Promise<void> {
  await writeFile(file(`${name}.new`), text, { mode: 0o600 });
  await rename(file(`${name}.new`), file(name));
}

async function placeServing({ cert, key }: TestCertificate): Promise<void> {
  await place('serving.crt', cert);
  await place('serving.key', key);
}

const servingCertificate = () =>
  certificate('CN=server', { usages: ['serverAuth'], extensions: [extension('2.5.29.17', false, LOCAL_NAMES)] });

beforeAll(async () => {
  [first, second, proxies] = await Promise.all([authority('first'), authority('second'), authority('proxies')]);
  serving = await Promise.all([servingCertificate(), servingCertificate()]);
  await placeServing(serving[0] as TestCertificate);
  await place('clients.crt', first?.cert ?? '');
  await place('proxies.crt', proxies.cert);
});
const server = forAllTests(() =>
  startServerProcess({
    tokens: ['admin-token,admin,admin,"system:masters"', 'old-token,olga,olga'],
    flags: [
      `--tls-cert-file=${file('serving.crt')}`,
      `--tls-private-key-file=${file('serving.key')}`,
      `--client-ca-file=${file('clients.crt')}`,
      `--requestheader-client-ca-file=${file('proxies.crt')}`,
      '--requestheader-allowed-names=front-proxy',
      '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    ],
  }),
);

/** The user name under which the server knows the client with these certificates and headers, or the status if it rejects the client. */
async function nameOf(shows: TestCertificate[], headers: Record<string, string> = {}): Promise<string | number> {
  const body = JSON.stringify({});
  const answer = await secureRequest(server.port, {
    method: 'POST',
    path: WHO,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    shows,
  });
  if (answer.status !== 201) return answer.status;
  return (JSON.parse(answer.text) as { status: { userInfo: { username: string } } }).status.userInfo.username;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 100));
}

function handshake(options: tls.ConnectionOptions = {}): Promise<{ fingerprint: string; cipher: string; error?: string }> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options }, () => {
      const { fingerprint256 } = socket.getPeerCertificate();
      resolve({ fingerprint: fingerprint256, cipher: socket.getCipher().name });
      socket.destroy();
    });
    socket.on('error', (error: Error) => resolve({ fingerprint: '', cipher: '', error: error.message }));
  });
}

test('a replaced serving certificate is used for new connections, and no connection is dropped', async () => {
  const [before, after] = serving as [TestCertificate, TestCertificate];
  const session = http2.connect(server.url, { ca: before.cert });
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': '/livez', authorization: 'Bearer admin-token' });
      stream.on('response', (headers) => resolve(Number(headers[':status'])));
      stream.on('error', reject).resume();
    });
  expect(await ask()).toBe(200);
  expect((await handshake()).fingerprint).toBe(before.x509.fingerprint256);
  await placeServing(after);
  await until(async () => (await handshake()).fingerprint === after.x509.fingerprint256);
  expect(await ask()).toBe(200);
  session.close();

  // A key that does not match the certificate changes nothing.
  await place('serving.key', before.key);
  await until(() => Promise.resolve(server.output().includes('cannot use changed files')));
  expect((await handshake()).fingerprint).toBe(after.x509.fingerprint256);
});

test('client authorities can be replaced while connections are open', async () => {
  const [ann, bob] = [
    await clientCertificate(first as TestCertificate, 'CN=ann'),
    await clientCertificate(second as TestCertificate, 'CN=bob'),
  ];
  expect([await nameOf([ann]), await nameOf([bob])]).toEqual(['ann', 401]);
  const session = http2.connect(server.url, { rejectUnauthorized: false, cert: ann.cert, key: ann.key });
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':path': '/version' });
      stream.on('response', (headers) => resolve(Number(headers[':status'])));
      stream.on('error', reject).resume();
    });
  expect(await ask()).toBe(200);
  await place('serving.key', serving[1]?.key ?? '');
  await place('clients.crt', second?.cert ?? '');
  await until(async () => (await nameOf([bob])) === 'bob');
  expect([await nameOf([ann]), await ask()]).toEqual([401, 401]);
  session.destroy();
});

test('a proxy may name users if it has a certificate from the proxy CA and an allowed name', async () => {
  const [proxy, other] = [await clientCertificate(proxies, 'CN=front-proxy'), await clientCertificate(proxies, 'CN=other')];
  expect(await nameOf([proxy], { 'x-remote-user': 'carol' })).toBe('carol');
  expect(await nameOf([other], { 'x-remote-user': 'carol' })).toBe(401);
  expect(await nameOf([], { 'x-remote-user': 'carol' })).toBe(401);
});

test('a token removed from the file is refused, and an added one is accepted', async () => {
  const [old, fresh] = [{ authorization: 'Bearer old-token' }, { authorization: 'Bearer new-token' }];
  expect([await nameOf([], old), await nameOf([], fresh)]).toEqual(['olga', 401]);
  await writeFile(path.join(server.dataDir, 'tokens.csv'), 'admin-token,admin,admin,"system:masters"\nnew-token,nina,nina\n');
  await until(async () => (await nameOf([], fresh)) === 'nina');
  expect(await nameOf([], old)).toBe(401);
});

test('only the configured cipher suites of TLS 1.2 are accepted, and no older version', async () => {
  const only = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  expect((await handshake(only)).cipher).toBe('ECDHE-ECDSA-AES256-GCM-SHA384');
  expect((await handshake({ ...only, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).error).toMatch(/handshake failure/);
  expect((await handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' })).error).toBeDefined();
});
