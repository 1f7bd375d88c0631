import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serverConnection } from './server-connection.js';

const { HOME, KUBECONFIG } = process.env;
let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'server-connection-'));
  Object.assign(process.env, { HOME: home, KUBECONFIG: '' });
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  Object.assign(process.env, { HOME, KUBECONFIG: KUBECONFIG ?? '' });
});

function kubeconfig(name: string, cluster: object, user: object): string {
  const file = path.join(home, name);
  const content = {
    clusters: [{ name: 'c', cluster: { server: `https://${name}`, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

it('reads no file that the kubeconfig of a data directory names, and runs no plugin', async () => {
  const secret = path.join(home, 'secret');
  writeFileSync(secret, 'secret');
  const user = { tokenFile: secret, 'client-key': secret, exec: { command: '/bin/false', apiVersion: 'v1' } };
  const connection = await serverConnection({ ownKubeconfig: kubeconfig('hostile', { 'certificate-authority': secret }, user) });
  expect(connection).toMatchObject({ server: 'https://hostile', ca: undefined, token: undefined });
  expect(connection).not.toHaveProperty('key');
  expect(await connection.requestOptions?.()).not.toHaveProperty('headers');
});

it('waits for a plugin before the first request, whose time is short', async () => {
  const file = path.join(home, 'issued');
  const args = ['-c', `sleep 0.1; touch ${file}; echo '{"kind":"ExecCredential","status":{"token":"t"}}'`];
  const connection = await serverConnection({ kubeconfig: kubeconfig('slow', {}, { exec: { command: '/bin/sh', args } }) });
  expect(existsSync(file)).toBe(true);
  expect(await connection.requestOptions?.()).toMatchObject({ headers: { authorization: 'Bearer t' } });
});
