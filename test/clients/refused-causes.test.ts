import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createSign } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { runCommand } from '../e2e/cli/run-command.js';
import { eventually } from '../support/eventually.js';
import { ask } from '../support/http-client.js';
import { scrape } from '../support/scrape.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { startServerProcess } from '../support/server-process.js';
import { Kubectl } from './kubectl-program.js';
import { installPythonClients, pythonProgram } from './python-programs.js';
import { mustRun, runProgram } from './run-program.js';
import { CURL, describeWith, KUBECTL, OPENSSL, PYTHON, PYTHON_VENV } from './toolchain.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const JSON_TYPE = 'content-type: application/json';

interface Refused {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly objectName?: string; readonly userAgent?: string };
  readonly status: { readonly cause: string; readonly code: number; readonly remedy?: string; readonly waiting?: boolean };
}

const lease = (name: string, spec: object = { holderIdentity: 'me', leaseDurationSeconds: 15 }, more: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...more },
  spec,
});
const now = (ms = 0) => new Date(Date.now() + ms).toISOString().replace('Z', '000Z');

describeWith([KUBECTL, CURL, OPENSSL, PYTHON, PYTHON_VENV], 'a client that knocks in vain', () => {
  let refused: readonly Refused[];
  let table: string;
  let unled: readonly string[];
  let python: string;
  const folder = scratchDirectory();
  const made = (name: string) => path.join(folder, name);

  const doctor = (name: string, ...flags: string[]) => runCommand(['doctor', 'lease', name, '--data-dir', server.dataDir, ...flags]);
  const file = (name: string) => path.join(server.dataDir, name);
  const curl = (...args: string[]) => runProgram('curl', ['-sk', ...args]);
  /** A request with curl, as the admin unless credentials are given. */
  const send = (method: string, target: string, body?: object, ...args: string[]) =>
    curl(
      ...['-X', method, `${server.url}${target}`, '-H', JSON_TYPE],
      ...(body ? ['-d', JSON.stringify(body)] : []),
      ...(args.length > 0 ? args : ['-H', 'authorization: Bearer admin-token']),
    );
  const create = (name: string, spec?: object) => send('POST', LEASES, lease(name, spec));
  const read = async (name: string) => JSON.parse((await send('GET', `${LEASES}/${name}`)).stdout) as { metadata: object; spec: object };
  const update = async (name: string, spec: object) => send('PUT', `${LEASES}/${name}`, { ...(await read(name)), spec });
  const asElector = (...args: string[]) => kubectl.run([...args, '--as=elector']);
  const apply = (document: object, ...args: string[]) => kubectl.run([...args, '-f', '-'], { input: JSON.stringify(document) });
  const repeat = async (count: number, work: () => Promise<unknown>) => {
    for (let n = 0; n < count; n++) await work();
  };

  const clientCertificate = async (name: string, signed: readonly string[]) => {
    const [key, csr, crt] = [made(`${name}.key`), made(`${name}.csr`), made(`${name}.crt`)];
    await mustRun('openssl', ['req', ...KEY, '-keyout', key, '-out', csr, '-subj', `/CN=${name}`]);
    await mustRun('openssl', ['x509', '-req', '-in', csr, '-out', crt, '-set_serial', '7', ...signed]);
    return ['--cert', crt, '--key', key];
  };
  /** A token of a service account whose time is over, with the server's own signature. */
  const expiredToken = async () => {
    await kubectl.ok('create', 'serviceaccount', 'late');
    const [head = '', claims = ''] = (await kubectl.ok('create', 'token', 'late')).split('.');
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
    const past = {
      ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object),
      exp: 1_700_003_600,
      iat: 1_700_000_000,
      nbf: 1_700_000_000,
    };
    const text = `${head}.${Buffer.from(JSON.stringify(past)).toString('base64url')}`;
    const key = await readFile(file('certs/sa.key'), 'utf8');
    const signature = createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' });
    expect(alg).toMatch(/^[RE]S256$/);
    return `${text}.${signature.toString('base64url')}`;
  };

  /** `answer`: the code and the cause. */
  const refusal = (name: string, answer: string, remedy: RegExp, provoke: (name: string) => Promise<unknown>) => {
    const [code = '', cause = ''] = answer.split(' ');
    return { name, answer, code: Number(code), cause, remedy, provoke, namespace: 'default' };
  };
  const CASES = [
    refusal('js', '400 WrongTime', /3 digits .*six are needed \(toISOString\(\)/, (name) =>
      mustRun(process.execPath, [path.join(import.meta.dirname, 'javascript/wrong-time.mjs'), file('admin.kubeconfig'), name]),
    ),
    refusal('java-instant', '400 WrongTime', /9 digits .*\(Java and Go/, (name) =>
      create(name, { renewTime: '2026-01-02T15:04:05.123456789Z' }),
    ),
    refusal('java-offset', '400 WrongTime', /lacks the colon in its offset/, (name) =>
      create(name, { renewTime: '2026-01-02T15:04:05.123456+0100' }),
    ),
    refusal('java-minutes', '400 WrongTime', /no time of RFC 3339 with seconds/, (name) =>
      create(name, { renewTime: '2026-01-02T15:04Z' }),
    ),
    refusal('python', '400 WrongTime', /has to end in Z or in an offset/, (name) =>
      mustRun(python, pythonProgram('naive_time.py', file('admin.kubeconfig'), name)),
    ),
    refusal('duration-text', '400 WrongType', /^spec.leaseDurationSeconds has to be a whole number/, (name) =>
      create(name, { leaseDurationSeconds: '15s' }),
    ),
    refusal('no-update', '403 NotAllowed', /^Let elector update leases in default/, async (name) => {
      await create(name);
      await send('PUT', `${LEASES}/${name}`, lease(name), '-H', 'authorization: Bearer elector-token');
    }),
    refusal('no-patch', '403 NotAllowed', /^Let elector patch leases in default/, async (name) => {
      await create(name);
      await asElector('patch', 'lease', name, '--type=merge', '-p', '{"spec":{"holderIdentity":"b"}}');
    }),
    refusal('no-create', '403 NotAllowed', /^Let elector create leases in default/, () =>
      apply(lease('no-create'), 'create', '--as=elector'),
    ),
    refusal('My_Service', '422 WrongName', /^Names of leases are lower case/, (name) => apply(lease(name), 'create', '--validate=false')),
    {
      ...refusal('no-namespace', '404 NamespaceNotFound', /^Create the namespace gone/, (name) =>
        apply(lease(name, {}, { namespace: 'gone' }), 'create'),
      ),
      namespace: 'gone',
    },
    refusal('never-reads', '409 Conflict', /^Somebody else writes this lease/, async (name) => {
      await create(name);
      await repeat(6, () => send('PUT', `${LEASES}/${name}`, lease(name, {}, { resourceVersion: '1' })));
    }),
    refusal('other-server', '409 OtherObject', /the UID is of another server/, async (name) => {
      await create(name);
      await send('PUT', `${LEASES}/${name}`, lease(name, {}, { uid: '00000000-0000-0000-0000-000000000000' }));
    }),
    refusal('no-version', '422 NoResourceVersion', /resourceVersion that was read/, async (name) => {
      await create(name);
      await send('PUT', `${LEASES}/${name}`, lease(name));
    }),
    refusal('creates-always', '409 Exists', /creates the lease again and again/, async (name) => {
      await create(name);
      await repeat(6, () => create(name));
    }),
    refusal('token-expired', '401 Unauthorized', /out of date/, async (name) =>
      send('GET', `${LEASES}/${name}`, undefined, '-H', `authorization: Bearer ${await expiredToken()}`),
    ),
    refusal('certificate-expired', '401 Unauthorized', /out of date/, async (name) =>
      send(
        'GET',
        `${LEASES}/${name}`,
        undefined,
        ...(await clientCertificate('late', ['-CA', made('ca.crt'), '-CAkey', made('ca.key'), '-days', '-1'])),
      ),
    ),
    refusal('wrong-authority', '401 Unauthorized', /of another authority/, async (name) =>
      send(
        'GET',
        `${LEASES}/${name}`,
        undefined,
        ...(await clientCertificate('stranger', ['-signkey', made('stranger.key'), '-days', '1'])),
      ),
    ),
    refusal('no-credentials', '403 NoCredentials', /sends no credentials/, (name) =>
      send('GET', `${LEASES}/${name}`, undefined, '-H', 'x: y'),
    ),
    refusal('v1beta1', '404 VersionNotServed', /does not serve .* in v1beta1: use v1/, (name) =>
      send('GET', `${LEASES.replace('v1', 'v1beta1')}/${name}`),
    ),
    refusal('v1beta1-body', '400 WrongVersion', /^Write the apiVersion of the path/, (name) =>
      send('POST', LEASES, { ...lease(name), apiVersion: 'coordination.k8s.io/v1beta1' }),
    ),
    refusal('config-map', '404 NoSuchLock', /^This server has no configmaps/, (name) =>
      send('GET', `/api/v1/namespaces/default/configmaps/${name}`),
    ),
    refusal('json-patch', '415 WrongMediaType', /patches need one of their own/, async (name) => {
      await create(name);
      await send('PATCH', `${LEASES}/${name}`, { spec: {} });
    }),
    refusal('locked', '423 Held', /^Somebody else holds the lock: wait/, async (name) => {
      await create(name);
      await send('PUT', `${LEASES}/${name}/lock?holder=other`);
    }),
    refusal(
      'too-many',
      '429 TooManyRequests',
      /asks too often, or for too much at a time: wait as long as Retry-After says/,
      async (name) => {
        await create(name);
        const waiting = (holder: string) =>
          send('PUT', `${LEASES}/${name}/lock?holder=${holder}&wait=2s`, undefined, '-H', 'authorization: Bearer waiter-token');
        await Promise.all([waiting('one'), waiting('two')]);
      },
    ),
  ];

  beforeAll(async () => {
    const authority = ['-keyout', made('ca.key'), '-out', made('ca.crt'), '-subj', '/CN=authority', '-days', '1'];
    await mustRun('openssl', ['req', '-x509', ...KEY, ...authority]);
    python = await installPythonClients();
  });
  const server = forAllTests(() =>
    startServerProcess({
      store: 'postgres',
      tokens: ['admin-token,admin,admin,"system:masters"', 'elector-token,elector,elector', 'waiter-token,waiter,waiter'],
      flags: ['--authorization-mode=Node,RBAC', `--client-ca-file=${made('ca.crt')}`, '--max-watches-per-user=1'],
    }),
  );
  const kubectl = forAllTests(() => Kubectl.of(server.dataDir));
  beforeAll(async () => {
    await kubectl.ok('create', 'role', 'electors', '--verb=get', '--resource=leases.coordination.k8s.io');
    await kubectl.ok('create', 'rolebinding', 'electors', '--role=electors', '--user=elector');
    await kubectl.ok(
      'create',
      'role',
      'waiters',
      '--verb=get,create,update,patch',
      '--resource=leases.coordination.k8s.io,leases.coordination.k8s.io/lock',
    );
    await kubectl.ok('create', 'rolebinding', 'waiters', '--role=waiters', '--user=waiter');
    await eventually(
      async () => (await ask(`${server.url}${LEASES}`, { headers: { authorization: 'Bearer elector-token' } })).status === 403,
    );
    await Promise.all(CASES.map(({ name, provoke }) => provoke(name)));
    refused = (JSON.parse(await kubectl.ok('get', 'refused', '-A', '-o', 'json')) as { items: Refused[] }).items;
    table = await kubectl.ok('get', 'refused', '-A');
    unled = await scrape(server.url, 'coordination_leases_refused_and_not_held');
  });

  test.each(CASES)('$name: the object, the table and doctor say $cause', async ({ name, answer, code, cause, remedy, namespace }) => {
    const found = refused.filter((each) => each.status.cause === cause && each.metadata.namespace === namespace);
    // The name of a create that is refused unread stands in its body.
    const objectName = name === 'no-create' ? undefined : name;
    const one = found.find(({ spec, status }) => spec.objectName === objectName && remedy.test(status.remedy ?? ''));
    expect(one).toMatchObject({ status: { code, cause } });
    expect(
      table
        .split('\n')
        .filter((line) => line.startsWith(`${namespace} `) && line.includes(` ${cause}`) && line.includes(objectName ?? 'create leases')),
    ).not.toEqual([]);
    const { stdout, code: exit } = await doctor(name, '-n', namespace);
    expect(stdout).toMatch(new RegExp(`(refused|waits) +(problem|warning|ok) .*${answer}`));
    expect(stdout).toContain(one?.status.remedy);
    expect(exit).toBe(/ problem /.test(stdout) ? 2 : 0);
  });

  const FREED = { holderIdentity: '', leaseDurationSeconds: 1 };

  test.each([
    [
      'clock-ahead',
      { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2099-01-01T00:00:00.000000Z' },
      /holder's clock +problem +renewTime was \d+y ahead/,
    ],
    [
      'far-too-long',
      { holderIdentity: 'me', leaseDurationSeconds: 2_147_483_647, renewTime: now() },
      /duration +problem +2147483647 s: .*68y/,
    ],
    [
      'clock-behind',
      { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: now(-3_600_000) },
      /holder's clock +problem +renewTime was 6\dm behind/,
    ],
  ])('%s: doctor says so, with a line that frees the lease if it is pinned', async (name, spec, problem) => {
    await create(name, spec);
    const { stdout, code } = await doctor(name);
    expect([stdout, code]).toEqual([expect.stringMatching(problem), 2]);
    const line = /kubectl patch .*/.exec(stdout)?.[0];
    if (name === 'clock-behind') return expect(line).toBeUndefined();
    await mustRun('sh', ['-c', line ?? ''], { env: { KUBECONFIG: file('admin.kubeconfig') } });
    expect((await read(name)).spec).toEqual(FREED);
    expect(await doctor(name)).toMatchObject({ code: 2, stdout: expect.stringContaining('nobody holds the lease') });
  });

  test('two identities that alternate: doctor names both', async () => {
    await create('shared', { holderIdentity: 'blue', leaseDurationSeconds: 15 });
    for (const holderIdentity of ['green', 'blue', 'green']) {
      await update('shared', { holderIdentity, leaseDurationSeconds: 15, renewTime: now() });
    }
    const { stdout, code } = await doctor('shared');
    expect([stdout, code]).toEqual([expect.stringMatching(/terms +problem +.*3 times .*blue and green alternate/), 2]);
  });

  test('those who merely wait are distinguished from those who are refused', async () => {
    await create('busy', { holderIdentity: 'me', leaseDurationSeconds: 3600 });
    await Promise.all(
      ['one', 'two'].map((holder) =>
        send('PUT', `${LEASES}/busy/lock?holder=${holder}`, undefined, '-A', holder, '-H', 'authorization: Bearer admin-token'),
      ),
    );
    await send('PUT', `${LEASES}/busy`, lease('busy'), '-H', 'authorization: Bearer elector-token');
    const { stdout, code } = await doctor('busy');
    expect([stdout, code]).toEqual([
      expect.stringContaining('3 others asked in the last minute: 2 wait, 1 is refused: Let elector update leases in default'),
      0,
    ]);
  });

  test('a client that does not trust the server is seen in the metrics and the log alone', async () => {
    const { code } = await runProgram('curl', ['-s', `${server.url}${LEASES}`]);
    expect(code).toBe(60);
    await eventually(
      async () => (await scrape(server.url, 'coordination_tls_handshakes_failed_total{reason="certificate not trusted"} 1')).length === 1,
    );
    expect(server.output()).toMatch(/"reason":"certificate not trusted","from":"127.0.0.1".*TLS handshake failed/);
  });

  test('the alert counts leases that nobody holds, by cause', () => {
    for (const cause of ['WrongTime', 'WrongName', 'NamespaceNotFound', 'Unauthorized']) {
      expect(unled.join()).toContain(`{cause="${cause}"}`);
    }
  });
});
