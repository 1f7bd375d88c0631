import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { PluginCredentials } from '../../../../src/kube/exec-plugin.js';
import { ExecCredential } from './exec-credential.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'exec-credential-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pluginOf = (script: string): ExecCredential =>
  new ExecCredential({ command: '/bin/sh', args: ['-c', `cd ${folder}; echo run >> runs; ${script}`] });

/** A plugin that notes each run, and then does this. */
function plugin(script: string): () => Promise<PluginCredentials> {
  const credential = pluginOf(script);
  return () => credential.issue();
}

const runs = (): number => readFileSync(path.join(folder, 'runs'), 'utf8').split('\n').length - 1;

function answer(status: object): void {
  writeFileSync(path.join(folder, 'answer'), JSON.stringify({ kind: 'ExecCredential', status }));
}

it('runs a plugin once for all that wait for it, and again only for new credentials', async () => {
  answer({ token: 't' });
  const issued = plugin('sleep 0.2; cat answer');
  expect(await Promise.all([issued(), issued(), issued()])).toMatchObject([{ token: 't' }, { token: 't' }, { token: 't' }]);
  await issued();
  expect(runs()).toBe(1);
});

it('gives a plugin no input to wait for', async () => {
  answer({ token: 't' });
  expect(await plugin('cat > input; cat answer')()).toMatchObject({ token: 't' });
});

it('treats a plugin that has never worked as a mistake, and one that has worked as a server that does not answer', async () => {
  const expirationTimestamp = new Date(Date.now() - 1000).toISOString();
  const issued = plugin('cat answer');
  await expect(issued()).rejects.toMatchObject({ why: 'configuration', message: 'the credential plugin /bin/sh failed: exit code 1' });
  answer({ token: 't', expirationTimestamp });
  await issued();
  rmSync(path.join(folder, 'answer'));
  await expect(issued()).rejects.toMatchObject({ why: 'unreachable' });
});

it('goes on with credentials that are valid while the plugin fails', async () => {
  answer({ token: 't', expirationTimestamp: new Date(Date.now() + 20_000).toISOString() });
  const issued = plugin('cat answer');
  await issued();
  rmSync(path.join(folder, 'answer'));
  expect(await issued()).toMatchObject({ token: 't' });
  expect(runs()).toBe(2);
});

it('runs a plugin again for credentials that a server has refused, unless they are new', async () => {
  answer({ token: 'first' });
  const credential = pluginOf('cat answer');
  expect(credential.refused()).toBe(false);
  await credential.issue();
  answer({ token: 'second' });
  expect(credential.refused()).toBe(false);
  expect(await credential.issue()).toMatchObject({ token: 'first' });
  const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000);
  expect(credential.refused()).toBe(true);
  expect(await credential.issue()).toMatchObject({ token: 'second' });
  later.mockRestore();
});
