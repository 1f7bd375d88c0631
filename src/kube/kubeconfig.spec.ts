import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { pluginCommand } from './exec-plugin.js';
import { targetOf, withoutPlugin } from './kube-target.js';
import { contextOf, parseKubeconfig } from './kubeconfig.js';

const config = (file: string, text: string) => parseKubeconfig(file, text, parse);
const CONTEXTS = 'contexts: [{name: a, context: {cluster: c, user: u}}]';
const CLUSTERS = 'clusters: [{name: c, cluster: {server: "https://c"}}]\nusers: [{name: u, user: {token: t}}]';

it('takes each entry from the first file that has it, with the folder of that file', () => {
  const configs = [
    config('/one/config', CONTEXTS),
    config('/two/config', CLUSTERS),
    config('/three/config', CLUSTERS.replace('//c', '//d')),
  ];
  expect(contextOf(configs)).toMatchObject({
    cluster: { directory: '/two', fields: { server: 'https://c' } },
    user: { directory: '/two', fields: { token: 't' } },
  });
});

it('takes the only context where no file names a current one, and none of several', () => {
  expect(contextOf([config('f', `${CONTEXTS}\n${CLUSTERS}`)]).cluster.fields).toEqual({ server: 'https://c' });
  const several = `contexts: [{name: a, context: {cluster: c}}, {name: b}]\n${CLUSTERS}`;
  expect(() => contextOf([config('f', several)])).toThrow('f has no context ""');
});

it.each([
  ['contexts: [~, 1, x]', 'f has no context ""'],
  ['contexts: {a: 1}', 'f has no context ""'],
  ['contexts: [{name: a}]', 'f has no cluster ""'],
  ['contexts: [{name: a, context: {cluster: c, user: v}}]\n' + CLUSTERS, 'f has no user "v"'],
])('says in one line what is missing in %j', (text, message) => {
  expect(() => contextOf([config('f', text)])).toThrow(message);
});

it.each(['1', '[]', 'a: [', '"x"'])('takes %j for no kubeconfig', (text) => {
  expect(() => config('f', text)).toThrow(/^(f is not a kubeconfig|cannot read the kubeconfig f: .*)$/);
});

it('refuses a credential plugin where a server would ask without credentials', () => {
  const plugin = targetOf(contextOf([config('f', `${CONTEXTS}\n${CLUSTERS.replace('token: t', 'exec: {command: x}')}`)]));
  expect(() => withoutPlugin(plugin)).toThrow('a server runs no credential plugin (exec)');
});

it('takes the credentials of the file before those of a plugin, whose command may be relative to it', () => {
  const target = (user: string) => targetOf(contextOf([config('/one/config', `${CONTEXTS}\n${CLUSTERS.replace('{token: t}', user)}`)]));
  expect(target('{token: t, exec: {command: x}}').exec).toBeUndefined();
  expect(target('{exec: {command: x}}').exec).toEqual({ command: 'x' });
  expect(target('{exec: {command: ./x}}').exec).toEqual({ command: '/one/x' });
  expect(pluginCommand({ command: 'x', args: [1], env: [null, { name: 'A', value: 'b' }] })).toMatchObject({
    args: ['1'],
    environment: { A: 'b' },
  });
});
