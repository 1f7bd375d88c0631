import { stringify } from 'yaml';
import type { Json } from './nasty-values.js';
import type { Random } from './random.js';

/** YAML beyond JSON with indentation: anchors, multiplying aliases, tags, merge keys, several documents. */
const SNIPPETS: readonly string[] = [
  'a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e]\ng: [*f, *f, *f, *f, *f, *f, *f, *f]\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: one}\n--- \nkind: Lease\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: &m\n  name: one\n  labels: *m\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata:\n  name: one\nspec:\n  <<: {holderIdentity: x}\n  holderIdentity: y\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: !!binary b25l}\nspec: {leaseDurationSeconds: 0o17}\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: one}\nspec: {leaseDurationSeconds: .inf}\n',
  'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: one}\nspec: {renewTime: 2024-01-01}\n',
  '? {a: b}\n: c\n',
  '%YAML 9.9\n---\n!<tag:x> a\n',
  '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n',
  '- - - - - - - - - - - - - - - - a\n',
  '"\\ud800": "\\x00"\n',
  'a: |2-\n   x\n y: >+\n',
  merges(5, '{x: 1}'),
  merges(36, '{x: 1}'),
  merges(300, `{${Array.from({ length: 900 }, (_, at) => `k${at}: 1`).join(', ')}}`),
  `a: &a ${'x'.repeat(50_000)}\nb: [${Array<string>(1000).fill('*a').join(', ')}]\n`,
  'k: x\n'.repeat(30_000),
];

/** Mappings each of which merges the one before twice. */
function merges(levels: number, root: string): string {
  return [`a0: &a0 ${root}`, ...Array.from({ length: levels }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}`)].join('\n');
}

export function yamlBody(value: Json, random: Random): Buffer {
  if (random.chance(0.3)) return Buffer.from(random.pick(SNIPPETS));
  try {
    return Buffer.from(stringify(value, { aliasDuplicateObjects: random.chance(0.5) }));
  } catch {
    return Buffer.from(JSON.stringify(value));
  }
}
