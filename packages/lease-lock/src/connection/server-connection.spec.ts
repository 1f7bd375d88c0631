import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

it('uses the fallback only if nothing else names a server', async () => {
  const fallbackKubeconfig = kubeconfig('fallback', { 'certificate-authority-data': btoa('PEM') }, { token: 'secret' });
  expect(await serverConnection({ fallbackKubeconfig })).toMatchObject({ server: 'https://fallback', ca: 'PEM', token: 'secret' });
  const given = kubeconfig('given', {}, {});
  expect(await serverConnection({ fallbackKubeconfig, kubeconfig: given })).toMatchObject({ server: 'https://given' });
  expect(await serverConnection({ fallbackKubeconfig, server: 'https://named' })).toMatchObject({ server: 'https://named' });
  await expect(serverConnection({ fallbackKubeconfig: '/no/such/file' })).rejects.toThrow('there is no /no/such/file');
});

it('reads no file that the fallback names, and runs no plugin', async () => {
  const secret = path.join(home, 'secret');
  writeFileSync(secret, 'secret');
  const user = { tokenFile: secret, 'client-key': secret, exec: { command: '/bin/false', apiVersion: 'v1' } };
  const connection = await serverConnection({ fallbackKubeconfig: kubeconfig('hostile', { 'certificate-authority': secret }, user) });
  expect(connection).toMatchObject({ server: 'https://hostile', ca: undefined, token: undefined });
  expect(connection).not.toHaveProperty('key');
  expect(await connection.requestOptions?.()).not.toHaveProperty('headers');
});
