import path from 'node:path';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { eventually } from '../support/eventually.js';
import { Kubectl } from './kubectl-program.js';
import { describeWithKubectls, KUBECTL_WITH_WHOAMI } from './toolchain.js';

describeWithKubectls([KUBECTL_WITH_WHOAMI], 'kubectl on service accounts', (program) => {
  const server = forAllTests(() => startServerProcess({ flags: ['--authorization-mode=RBAC'] }));
  const client = forAllTests(() => Kubectl.of(server.dataDir, program));
  const kubectl = (...args: string[]) => client.printed(args);
  /** With only this token as credential. */
  const withToken = (token: string, ...args: string[]) => {
    const authority = path.join(server.dataDir, 'certs/ca.crt');
    const alone = ['--kubeconfig=/dev/null', `--server=${server.url}`, `--certificate-authority=${authority}`, `--token=${token}`];
    return client.printed([...alone, ...args]);
  };
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { aud: string[]; exp: number; iat: number };

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
