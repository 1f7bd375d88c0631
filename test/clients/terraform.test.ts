import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { apiAccess } from '../../packages/leader-election/test/support/api-access.js';
import { type AnsweringServer, startAnswering } from '../support/answering-server.js';
import { authority, clientCertificate } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { type Ask, ask } from '../support/http-client.js';
import { grant } from '../support/rights.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { filesOf } from './documented/documented-program.js';
import { type ProgramResult, mustRun, runProgram } from './run-program.js';
import { CURL, describeWith, TERRAFORM } from './toolchain.js';

/** Keeps one state, as the storage of which docs/locks.md says that it is elsewhere. */
function stateServer(): Promise<AnsweringServer> {
  let state: string | undefined;
  return startAnswering((body, { method }, response) => {
    if (method === 'POST') state = body;
    response.statusCode = method === 'GET' && state === undefined ? 404 : 200;
    response.end(method === 'GET' ? state : undefined);
  });
}

describeWith([TERRAFORM], 'Terraform with its lock here and its state elsewhere', () => {
  const folder = scratchDirectory(tmpdir());
  const states = forAllTests(() => stateServer());
  let server: ServerProcess;
  let env: NodeJS.ProcessEnv;
  let lock: string;
  const terraform = (...args: string[]): Promise<ProgramResult> => runProgram('terraform', [...args, '-no-color'], { cwd: folder, env });
  const holder = async (): Promise<unknown> => (await ask(lock.replace('/lock', ''))).json['spec'];

  beforeAll(async () => {
    const ca = await authority('terraform clients');
    const client = await clientCertificate(ca, 'CN=me,O=system:masters');
    const caFile = path.join(folder, 'clients.crt');
    writeFileSync(caFile, ca.cert);
    server = await startServerProcess({ flags: [`--client-ca-file=${caFile}`] });
    lock = `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases/production/lock`;
    const backend = {
      address: `${states.url}/`,
      ...{ lock_address: lock, unlock_address: lock, lock_method: 'PUT', unlock_method: 'DELETE' },
    };
    const settings = { terraform: { backend: { http: backend } }, resource: { terraform_data: { x: { input: 'x' } } } };
    writeFileSync(path.join(folder, 'main.tf.json'), JSON.stringify(settings));
    env = {
      CHECKPOINT_DISABLE: '1',
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: (await apiAccess(server)).ca,
      TF_HTTP_CLIENT_CERTIFICATE_PEM: client.cert,
      TF_HTTP_CLIENT_PRIVATE_KEY_PEM: client.key,
    };
    await mustRun('terraform', ['init'], { cwd: folder, env });
  }, 120_000);
  afterAllTests(() => server.stop());

  test('applies under the lock, is refused while somebody else has it, and forces the lock open', async () => {
    const applied = await terraform('apply', '-auto-approve');
    expect([applied.stdout + applied.stderr, applied.code]).toEqual([expect.stringContaining('Apply complete!'), 0]);
    expect(await holder()).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });

    const id = '01234567-89ab-cdef-0123-456789abcdef';
    await ask(lock, { method: 'PUT', body: { ID: id, Operation: 'OperationTypeApply', Who: 'somebody@elsewhere', Version: '1.11.4' } });
    const refused = await terraform('apply', '-auto-approve');
    expect(refused.code).toBe(1);
    // it shows itself as the holder, and of the real one the ID
    expect(refused.stderr).toContain(`ID=${id}`);
    expect(await holder()).toMatchObject({ holderIdentity: `somebody@elsewhere_${id}` });

    // It sends no ID, so any will do; the server tells.
    expect((await terraform('force-unlock', '-force', 'any')).code).toBe(0);
    expect(await holder()).toMatchObject({ holderIdentity: '' });
    await eventually(() => server.output().includes(`"holder":"somebody@elsewhere_${id}","by":"me"`));
    expect((await terraform('destroy', '-auto-approve')).code).toBe(0);
  }, 180_000);
});

/** The shell block of docs/locks.md that manages the versions of a state, with the function of docs/clients/http.md that it uses. */
function documentedShell(): string {
  const [pageOfLocks = '', pageOfHttp = ''] = ['locks.md', 'clients/http.md'].map((page) =>
    readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8'),
  );
  const [, states = ''] = /^```bash\n(STATE=[^]*?)^```$/m.exec(pageOfLocks) ?? [];
  return `${/^ask\(\).*$/m.exec(pageOfHttp)?.[0]}\n${states}`;
}

describeWith([TERRAFORM, CURL], 'Terraform with its states here, by the configuration of docs/locks.md', () => {
  const folder = scratchDirectory(tmpdir());
  let server: ServerProcess;
  let env: NodeJS.ProcessEnv;
  let lease: string;
  const terraform = (...args: string[]): Promise<ProgramResult> => runProgram('terraform', [...args, '-no-color'], { cwd: folder, env });
  const apply = (input: string, ...args: string[]) => terraform('apply', '-auto-approve', `-var=input=${input}`, ...args);
  const pulled = async () => JSON.parse((await terraform('state', 'pull')).stdout) as { serial: number; outputs: { x: { value: string } } };
  const versions = async () => (await ask(`${lease}/state?versions`)).json as unknown as { versions: { serial: number; writer: string }[] };
  const SOMEBODY = { ID: '01234567-89ab-cdef-0123-456789abcdef', Operation: 'OperationTypeApply', Who: 'somebody@elsewhere' };

  beforeAll(async () => {
    const ca = await authority('terraform clients');
    const client = await clientCertificate(ca, 'CN=me,O=system:masters');
    const caFile = path.join(folder, 'clients.crt');
    writeFileSync(caFile, ca.cert);
    server = await startServerProcess({ store: 'postgres', flags: [`--client-ca-file=${caFile}`] });
    lease = `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases/production`;
    const access = await apiAccess(server);
    writeFileSync(path.join(folder, 'ca.crt'), access.ca);
    writeFileSync(
      path.join(folder, 'backend.tf'),
      filesOf('locks.md').get('backend.tf')!.replaceAll('https://leases.example:6443', server.url),
    );
    const settings = {
      variable: { input: { type: 'string' } },
      resource: { terraform_data: { x: { input: '${var.input}' } } },
      output: { x: { value: '${terraform_data.x.output}' } },
    };
    writeFileSync(path.join(folder, 'main.tf.json'), JSON.stringify(settings));
    env = {
      CHECKPOINT_DISABLE: '1',
      TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: access.ca,
      TF_HTTP_CLIENT_CERTIFICATE_PEM: client.cert,
      TF_HTTP_CLIENT_PRIVATE_KEY_PEM: client.key,
      SERVER: server.url,
      TOKEN: access.token,
      CA_FILE: access.caFile,
    };
    await mustRun('terraform', ['init'], { cwd: folder, env });
  }, 120_000);
  afterAllTests(() => server.stop());

  test('each apply is a version, and an old one is brought back by the documented commands', async () => {
    for (const input of ['one', 'two']) {
      const { code, stdout, stderr } = await apply(input);
      expect([stdout + stderr, code]).toEqual([expect.stringContaining('Apply complete!'), 0]);
    }
    expect((await pulled()).outputs.x.value).toBe('two');
    const { versions: stored } = await versions();
    expect(stored.length).toBeGreaterThan(1);
    expect(new Set(stored.map(({ writer }) => writer))).toEqual(new Set(['me']));
    const first = (await ask(`${lease}/state?version=1`)).json;
    const listed = await mustRun('bash', ['-euo', 'pipefail', '-c', documentedShell()], { cwd: folder, env });
    expect(listed).toContain('"writer":"me"');
    expect((await versions()).versions.length).toBe(stored.length + 1);
    expect(await pulled()).toEqual(first);
  }, 180_000);

  test('nothing is stored while somebody else has the lock', async () => {
    const before = (await versions()).versions.length;
    await ask(`${lease}/lock`, { method: 'PUT', body: SOMEBODY });
    const refused = await apply('three');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`ID=${SOMEBODY.ID}`)]);
    const unlocked = await apply('three', '-lock=false');
    expect([unlocked.code, unlocked.stderr]).toEqual([1, expect.stringContaining('HTTP error: 423')]);
    expect((await versions()).versions.length).toBe(before);
    expect((await terraform('force-unlock', '-force', SOMEBODY.ID)).code).toBe(0);
    // What could not be stored is kept by Terraform.
    await mustRun('terraform', ['state', 'push', '-force', 'errored.tfstate'], { cwd: folder, env });
    expect((await pulled()).outputs.x.value).toBe('three');
  }, 180_000);

  test('an apply whose lock is forced open stores nothing more', async () => {
    const before = (await versions()).versions.length;
    const settings = { resource: { terraform_data: { slow: { provisioner: { 'local-exec': { command: 'touch begun; sleep 5' } } } } } };
    writeFileSync(path.join(folder, 'slow.tf.json'), JSON.stringify(settings));
    const applying = apply('four');
    await eventually(() => existsSync(path.join(folder, 'begun')));
    await ask(`${lease}/lock?force=true`, { method: 'DELETE' });
    await ask(`${lease}/lock`, { method: 'PUT', body: SOMEBODY });
    const held = (await versions()).versions.length;
    expect(await applying).toMatchObject({ code: 1, stderr: expect.stringContaining('HTTP error: 423') });
    expect([held, (await versions()).versions.length]).toEqual([held, held]);
    expect(held).toBeGreaterThanOrEqual(before);
  }, 180_000);
});

describeWith([TERRAFORM], '400 applies at once', () => {
  const folder = scratchDirectory(tmpdir());
  let server: ServerProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const ca = await authority('terraform clients');
    const { cert, key } = await clientCertificate(ca, 'CN=ci');
    const caFile = path.join(folder, 'clients.crt');
    writeFileSync(caFile, ca.cert);
    const tokens = ['admin-token,admin,admin,"system:masters"', 'ci-token,ci,ci'];
    server = await startServerProcess({ store: 'postgres', tokens, flags: [`--client-ca-file=${caFile}`] });
    env = { CHECKPOINT_DISABLE: '1', TF_HTTP_CLIENT_CERTIFICATE_PEM: cert, TF_HTTP_CLIENT_PRIVATE_KEY_PEM: key };
    env['TF_HTTP_CLIENT_CA_CERTIFICATE_PEM'] = (await apiAccess(server)).ca;
  });
  afterAllTests(() => server.stop());
  const leaseOf = (name: string) => `${server.url}/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`;

  /** A configuration of its own for each, which the provider that Terraform has built in needs no download for. */
  async function initialized(name: string): Promise<() => Promise<void>> {
    const cwd = path.join(folder, name);
    mkdirSync(cwd);
    const [address, lock] = [`${leaseOf(name)}/state`, `${leaseOf(name)}/lock`];
    const http = { address, lock_address: lock, unlock_address: lock, lock_method: 'PUT', unlock_method: 'DELETE' };
    const settings = {
      terraform: { backend: { http } },
      resource: { terraform_data: { x: { input: name } } },
    };
    writeFileSync(path.join(cwd, 'main.tf.json'), JSON.stringify(settings));
    await mustRun('terraform', ['init', '-no-color'], { cwd, env });
    return async () => void (await mustRun('terraform', ['apply', '-auto-approve', '-no-color'], { cwd, env }));
  }

  test('all pass: twenty of Terraform itself, and as many requests as of 380 more, each with three attempts', async () => {
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases/lock', 'leases/state'] };
    await grant(server.url, 'ci', [{ ...leases, verbs: ['get', 'create', 'update', 'delete'] }]);
    const terraforms: (() => Promise<void>)[] = [];
    for (let at = 0; at < 20; at++) terraforms.push(await initialized(`terraform-${at}`));
    const applies = [...terraforms, ...Array.from({ length: 380 }, (_, at) => () => applyByHand(leaseOf(`by-hand-${at}`)))];
    let longest = 0;
    const outcomes = await Promise.allSettled(
      applies.map(async (apply) => {
        const began = performance.now();
        await apply();
        longest = Math.max(longest, performance.now() - began);
      }),
    );
    process.stderr.write(`400 applies at once; the longest took ${Math.round(longest)} ms\n`);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  }, 300_000);
});

/** The requests of an apply that creates its state. */
async function applyByHand(lease: string): Promise<void> {
  const id = randomUUID();
  const info = { ID: id, Operation: 'OperationTypeApply', Info: '', Who: 'ci@host', Version: '1.11.4', Path: '' };
  await attempt([200], `${lease}/lock`, { method: 'PUT', body: info });
  await attempt([404], `${lease}/state`);
  await attempt([200], `${lease}/state?ID=${id}`, { method: 'POST', body: { version: 4, serial: 1, lineage: id, resources: [] } });
  const length = String(JSON.stringify(info).length);
  await attempt([200], `${lease}/lock`, { method: 'DELETE', body: info, headers: { 'content-length': length } });
}

/** Asks as Terraform's backend does: three times, after the seconds in Retry-After where it is told to. */
async function attempt(expected: readonly number[], url: string, more: Ask = {}): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { status, text, headers } = await ask(url, { ...more, headers: { ...more.headers, authorization: 'Bearer ci-token' } });
    if (expected.includes(status)) return;
    if (tries === 3 || (status !== 429 && status < 500)) throw new Error(`${more.method} ${url}: ${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(headers['retry-after'] ?? tries)));
  }
}
