import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { eventually } from '../support/eventually.js';
import { describeWithKubectls, KUBECTL_WITH_WHOAMI } from './toolchain.js';

const run = promisify(execFile);

describeWithKubectls([KUBECTL_WITH_WHOAMI], 'kubectl on service accounts', (program) => {
  let home: string;
  const kubectl = async (...args: string[]) =>
    (await run(program, [`--kubeconfig=${path.join(server.dataDir, 'admin.kubeconfig')}`, `--cache-dir=${home}`, ...args])).stdout;
  /** With only this token as credential. */
  const withToken = async (token: string, ...args: string[]) => {
    const connection = [`--server=${server.url}`, `--certificate-authority=${path.join(server.dataDir, 'certs/ca.crt')}`];
    const alone = ['--kubeconfig=/dev/null', `--cache-dir=${home}`, ...connection, `--token=${token}`];
    return (await run(program, [...alone, ...args])).stdout;
  };
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud: string[]; exp: number; iat: number };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'kubectl-accounts-'));
  });
  const server = forAllTests(() => startServerProcess({ flags: ['--authorization-mode=RBAC'] }));
  afterAllTests(async () => {
    await rm(home, { recursive: true, force: true });
  });

  test('creates an account, grants it rights, and acts with its token until it is deleted', async () => {
    expect(await kubectl('create', 'serviceaccount', 'robot')).toBe('serviceaccount/robot created\n');
    const token = (await kubectl('create', 'token', 'robot')).trim();
    expect(await withToken(token, 'auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(
      'system:serviceaccount:default:robot',
    );
    await expect(withToken(token, 'get', 'leases')).rejects.toThrow('Forbidden');
    await kubectl('create', 'rolebinding', 'robot', '--clusterrole=edit', '--serviceaccount=default:robot');
    await eventually(
      async () => (await withToken(token, 'get', 'leases').catch(() => undefined)) !== undefined,
      () => 'the binding does not count',
    );
    expect(await kubectl('get', 'sa', '-o', 'name')).toBe('serviceaccount/robot\n');
    expect(await kubectl('describe', 'sa', 'robot')).toMatch(/Name:\s+robot/);
    expect(await kubectl('delete', 'sa', 'robot')).toContain('deleted');
    await expect(withToken(token, 'get', 'leases')).rejects.toThrow('must be logged in');
  });

  test('requests tokens with a duration and for an audience', async () => {
    await kubectl('create', 'sa', 'short');
    const token = (await kubectl('create', 'token', 'short', '--duration=20m', '--audience=vault', '--audience=git')).trim();
    const { aud, exp, iat } = claimsOf(token);
    expect([aud, exp - iat]).toEqual([['vault', 'git'], 1200]);
    await expect(withToken(token, 'get', 'leases')).rejects.toThrow('must be logged in');
    await expect(kubectl('create', 'token', 'short', '--duration=5m')).rejects.toThrow('may not specify a duration less than 10 minutes');
    await expect(kubectl('create', 'token', 'nobody')).rejects.toThrow('serviceaccounts "nobody" not found');
  });
});
