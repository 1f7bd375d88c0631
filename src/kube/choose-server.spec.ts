import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chooseServer } from './choose-server.js';

const { HOME } = process.env;
let home: string;
let own: { file: string; isNamed: boolean };
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'choose-server-'));
  process.env['HOME'] = home;
  own = { file: path.join(home, '.data/admin.kubeconfig'), isNamed: false };
});
afterAll(() => {
  rmSync(home, { recursive: true });
  process.env['HOME'] = HOME;
});

const write = (name: string) => {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
};
const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

test('the environment comes first, then the data directory here, the home and the pod', () => {
  expect(chooseServer(own, {})).toBeUndefined();
  expect(chooseServer(own, pod)).toMatchObject({ files: [], isOwn: false });
  const usual = write('.kube/config');
  expect(chooseServer(own, pod)).toMatchObject({ files: [usual], isOwn: false });
  write('.data/admin.kubeconfig');
  expect(chooseServer(own, pod)).toMatchObject({ files: [own.file], isOwn: true });
  expect(chooseServer(own, { ...pod, KUBECONFIG: '/named' })).toMatchObject({ files: ['/named'], isOwn: false });
  expect(chooseServer({ ...own, isNamed: true }, { KUBECONFIG: '/named' })).toMatchObject({ files: [own.file], isOwn: true });
  // A program without a data directory of its own.
  expect(chooseServer(undefined, pod)).toMatchObject({ files: [usual], isOwn: false });
});

test('says which server it is and why, where a data directory and something else both name one', () => {
  const usual = write('.kube/config');
  write('.data/admin.kubeconfig');
  const note = (environment: NodeJS.ProcessEnv, isNamed = false) => chooseServer({ ...own, isNamed }, environment)?.note;
  expect(note({})).toBe(`the server is that of ${own.file}, which comes before ${usual}; --kubeconfig names another`);
  expect(note({ KUBECONFIG: usual })).toBe(`the server is that of $KUBECONFIG, which comes before ${own.file}; --kubeconfig names another`);
  expect(note({ KUBECONFIG: '/named' }, true)).toContain(`that of ${own.file}, which comes before $KUBECONFIG;`);
  expect(note({ KUBECONFIG: own.file })).toBeUndefined();
  expect(chooseServer(undefined, { ...pod, KUBECONFIG: usual })).not.toHaveProperty('note');
});
