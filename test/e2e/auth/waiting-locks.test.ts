import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestCertificate, authority, clientCertificate } from '../../support/certificates.js';
import { type Answer, type Ask, ask } from '../../support/http-client.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { scrapeUntil } from '../../support/scrape.js';
import { type SecureAnswer, secureRequest } from '../../support/secure-client.js';
import { startServerProcess } from '../../support/server-process.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const ADMIN = 'admin-token,admin,admin,"system:masters"';

const dir = scratchDirectory();
let [kept, removed]: TestCertificate[] = [];

const bearer = (user: string): Ask => ({ headers: { authorization: `Bearer ${user}-token` } });
const admin = (url: string, how: Ask): Promise<Answer> => ask(`${server.url}${url}`, { ...bearer('admin'), ...how });
const lock = (query: string, how: Ask): Promise<Answer> => ask(`${server.url}${LEASES}/${query}`, { method: 'PUT', ...how });
const free = (name: string): Promise<Answer> => admin(`${LEASES}/${name}/lock?holder=admin`, { method: 'DELETE' });
const waiting = (count: number): Promise<void> => scrapeUntil(server.url, `coordination_lock_waiting_requests ${count}`);

async function place(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 100));
}

beforeAll(async () => {
  [kept, removed] = await Promise.all([authority('kept'), authority('removed')]);
  await place(path.join(dir, 'clients.crt'), `${kept?.cert}${removed?.cert}`);
});
const server = forAllTests(() =>
  startServerProcess({
    tokens: [ADMIN, 'olga-token,olga,olga,lockers', 'paul-token,paul,paul'],
    flags: ['--authorization-mode=RBAC', `--client-ca-file=${path.join(dir, 'clients.crt')}`],
  }),
);
beforeAll(async () => {
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases/lock'], verbs: ['*'] }];
  await admin(`${ROLES}/roles`, { method: 'POST', body: { metadata: { name: 'locks' }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'locks' };
  const bind = (name: string, subject: object) =>
    admin(`${ROLES}/rolebindings`, { method: 'POST', body: { metadata: { name }, roleRef, subjects: [subject] } });
  await bind('lockers', { kind: 'Group', name: 'lockers', apiGroup: roleRef.apiGroup });
  await bind('paul', { kind: 'User', name: 'paul', apiGroup: roleRef.apiGroup });
});

describe('a request that waits for a lock takes nothing once its user', () => {
  test.each([
    [
      'has no longer a token',
      'token',
      401,
      () => place(path.join(server.dataDir, 'tokens.csv'), [ADMIN, 'paul-token,paul,paul'].join('\n')),
      'olga',
    ],
    ['has no longer the right', 'right', 403, () => admin(`${ROLES}/rolebindings/paul`, { method: 'DELETE' }), 'paul'],
  ] as const)('%s', async (_, name, status, takeAway, user) => {
    await lock(`${name}/lock?holder=admin`, bearer('admin'));
    expect((await lock(`${name}/lock?holder=me`, bearer(user))).status).toBe(423);
    const waits = lock(`${name}/lock?holder=me&wait=30s`, bearer(user));
    await waiting(1);
    await takeAway();
    await until(async () => (await lock(`${name}/lock?holder=me`, bearer(user))).status === status);
    await free(name);
    expect((await waits).status).toBe(status);
    expect((await admin(`${LEASES}/${name}`, {})).json['spec']).toMatchObject({ holderIdentity: '' });
  });

  const lockWith = (name: string, query: string, shows: TestCertificate): Promise<SecureAnswer> =>
    secureRequest(server.port, { method: 'PUT', path: `${LEASES}/${name}/lock?holder=me${query}`, shows: [shows] });

  test('has a certificate that has expired', async () => {
    const short = await clientCertificate(kept as TestCertificate, 'CN=nina,O=lockers', { notAfter: 4_000 });
    await lock('expired/lock?holder=admin', bearer('admin'));
    const waits = lockWith('expired', '&wait=30s', short);
    await waiting(1);
    await until(async () => (await lockWith('expired', '', short)).status === 401);
    await free('expired');
    expect((await waits).status).toBe(401);
  });

  test('has a certificate of an authority that was removed', async () => {
    const client = await clientCertificate(removed as TestCertificate, 'CN=nina,O=lockers');
    await lock('removed/lock?holder=admin', bearer('admin'));
    const waits = lockWith('removed', '&wait=30s', client);
    await waiting(1);
    await place(path.join(dir, 'clients.crt'), kept?.cert ?? '');
    await until(async () => (await lockWith('removed', '', client)).status === 401);
    await free('removed');
    expect((await waits).status).toBe(401);
  });
});
