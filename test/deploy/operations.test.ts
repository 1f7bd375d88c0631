import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { scratchDirectory } from '../support/scratch-directory.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/operations.md');

/** The recommended settings of PostgreSQL: name and value. */
const recommended = page
  .slice(page.indexOf('## PostgreSQL settings'), page.indexOf('## Behind PgBouncer'))
  .split('\n')
  .flatMap((line) => {
    const [, names = '', values = ''] = line.split('|');
    const settings = [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    return settings.map((name, at) => [name, [...values.matchAll(/`(\w+)`/g)].map(([, value]) => value)[at]] as const);
  });

test.each(['docker-compose.yml', 'deploy/compose/database/start.sh', 'deploy/kubernetes/overlays/trial/postgresql.yaml'])(
  'the PostgreSQL of %s has no setting against those that the page recommends',
  (file) => {
    expect(recommended).toContainEqual(['checkpoint_timeout', '15min']);
    const given = [...read(file).matchAll(/-c,? "?(\w+)=([\w$]+)/g)].map(([, name, value]) => [name, value] as const);
    expect(given).not.toEqual([]);
    for (const [name, value] of recommended) {
      if (given.some(([each]) => each === name)) expect(given).toContainEqual([name, value]);
    }
  },
);

test('the images that the pages build have the version of the program', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  for (const file of [
    'docs/operations.md',
    'deploy/helm/coordination-apiserver/README.md',
    'deploy/kubernetes/overlays/trial/kustomization.yaml',
  ]) {
    const tags = [...read(file).matchAll(/coordination-apiserver:(\d+\.\d[\w.-]*)/g)].map(([, tag = '']) => tag.replace(/\.$/, ''));
    expect(tags).not.toEqual([]);
    expect(new Set(tags)).toEqual(new Set([version]));
  }
});

const folder = scratchDirectory();

test('a promotion keeps what .env has, also after a last line without its end', () => {
  const commands = [...page.matchAll(/^ {4}(printf .* >> \.env)$/gm)].map(([, command = '']) => command);
  expect(commands).toHaveLength(2);
  writeFileSync(path.join(folder, '.env'), 'LOG_LEVEL=debug\nCOMPOSE_PROFILES=replicas,monitoring');
  for (const command of commands) expect(spawnSync('sh', ['-ec', command], { cwd: folder }).status).toBe(0);
  const lines = readFileSync(path.join(folder, '.env'), 'utf8').split('\n').filter(Boolean);
  expect(lines).toEqual([
    'LOG_LEVEL=debug',
    'COMPOSE_PROFILES=replicas,monitoring',
    'DATABASE_PRIMARY=database-2',
    'DATABASE_PRIMARY=database',
  ]);
});
