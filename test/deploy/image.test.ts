import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const included = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file = '']) => file);
const missing = (files: readonly string[]) =>
  files.filter((file) => !included.some((entry) => file === entry || file.startsWith(`${entry}/`)));

test('servers of docker-compose.yml print the command of the README that writes a kubeconfig', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
  };
  const command = services['apiserver']?.environment?.['KUBECONFIG_COMMAND']?.replace('${APISERVER_PORT:-6443}', '6443');
  expect(read('README.md')).toContain(`    ${command} > admin.kubeconfig\n`);
});

test('compose, the Dockerfiles and the commands that pin images name the same images, and each can be given by digest', () => {
  const slot = /^\$\{([A-Z]+_IMAGE):-([^}]+)\}$/;
  const own = /^coordination-apiserver(-loadbalancer)?$/;
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    readonly services: Readonly<
      Record<string, { readonly image: string; readonly build?: { readonly args: Readonly<Record<string, string>> } }>
    >;
  };
  const named = Object.values(services).flatMap(({ image, build }) => [
    ...(own.test(image) ? [] : [image]),
    ...Object.values(build?.args ?? {}),
  ]);
  expect(named.filter((name) => !slot.test(name))).toEqual([]);
  const DIGEST = /@sha256:[0-9a-f]{64}$/;
  const images = new Set(named.map((name) => name.replace(slot, '$1=$2').replace(DIGEST, '')));
  const unpinned = named.map((name) => name.replace(slot, '$2')).filter((name) => !DIGEST.test(name));
  expect(unpinned.map((name) => name.split(':')[0])).toEqual(['prom/prometheus', 'grafana/grafana']);
  const commands = /for image in ([^;]+); do/.exec(read('docs/operations.md'))?.[1] ?? '';
  expect(new Set(commands.split(/[\s\\]+/))).toEqual(images);
  const defaults = ['Dockerfile', 'deploy/compose/loadbalancer/Dockerfile'].flatMap((file) => {
    const bases = [...read(file).matchAll(/^FROM (?!\$\{)(\S+)/gm)].map(([line]) => line);
    expect([file, bases]).toEqual([file, []]);
    return [...read(file).matchAll(/^ARG (?:NODE|DEBIAN)_IMAGE=(.+)/gm)].map(([, name]) => name);
  });
  expect(defaults.length).toBe(2);
  for (const each of defaults) expect(named.map((name) => name.replace(slot, '$2'))).toContain(each);
});

test("the image's build context has every file that a configuration in it extends", () => {
  const extended = globSync('packages/*/tsconfig*.json', { cwd: root }).flatMap((file) => {
    const { extends: base } = parse(read(file)) as { readonly extends?: string };
    return base === undefined ? [] : [path.join(path.dirname(file), base)];
  });
  expect(extended).toContain('tsconfig.json');
  expect(missing(extended)).toEqual([]);
});

test("the image's build context has every script that the build runs, and what these import", () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const run = [read('Dockerfile'), scripts['build'], scripts['prepack']].join('\n');
  const files = new Set([...run.matchAll(/\bscripts\/[\w-]+\.mjs/g)].map(([file]) => file));
  for (const file of files) {
    for (const [, imported = ''] of read(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      files.add(path.join(path.dirname(file), imported));
    }
  }
  expect(files).toContain('scripts/build-ui.mjs');
  expect(missing([...files])).toEqual([]);
});
