import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { FakeClock } from '../../leader-election/test/support/fake-clock.js';
import { inClusterConnection } from './in-cluster.js';

const directory = mkdtempSync(path.join(tmpdir(), 'service-account-'));
afterAll(() => rmSync(directory, { recursive: true }));
const write = (name: string, content: string) => writeFileSync(path.join(directory, name), content);
write('ca.crt', 'authority');
write('namespace', 'mine\n');
write('token', 'one\n');

test('server, authority, namespace and token are those of the pod', async () => {
  const environment = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
  const connection = inClusterConnection({ directory, environment });
  expect(connection).toMatchObject({ server: 'https://10.0.0.1:6443', ca: 'authority', namespace: 'mine' });
  await expect((connection.token as () => Promise<string>)()).resolves.toBe('one');
});

test('an IPv6 address is put in brackets', () => {
  expect(inClusterConnection({ directory, environment: { KUBERNETES_SERVICE_HOST: 'fd00::1' } }).server).toBe('https://[fd00::1]:443');
});

test('a rotated token is found within a minute', async () => {
  const clock = new FakeClock();
  const { token } = inClusterConnection({ directory, environment: { KUBERNETES_SERVICE_HOST: 'x' }, clock });
  const current = token as () => Promise<string>;
  await current();
  write('token', 'two');
  await clock.pass(59_999);
  await expect(current()).resolves.toBe('one');
  await clock.pass(1);
  await expect(current()).resolves.toBe('two');
});

test('outside of a pod the error says so', () => {
  expect(() => inClusterConnection({ directory, environment: {} })).toThrow('does not run in a pod');
});
