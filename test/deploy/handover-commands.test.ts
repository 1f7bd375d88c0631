import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { helpOf } from '../support/help-of.js';

const root = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/cluster.md', 'docs/operations.md', 'docs/commands.md', 'deploy/helm/coordination-apiserver/README.md'];

/** The commands of a page that hand leases over, in code blocks and in the text. */
function handovers(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8').replaceAll(/\\\n\s+/g, '');
  return [...text.matchAll(/coordination-apiserver ((?:takeover|giveback) -[^`\n]*)/g)].map(([, command = '']) => command.trim());
}

test('each printed takeover and giveback names the cluster, and only options that exist', () => {
  const commands = PAGES.flatMap(handovers);
  expect(commands.length).toBeGreaterThan(6);
  for (const command of commands) {
    expect(command).toContain(' --cluster-kubeconfig ');
    const known = helpOf(command.split(' ')[0] ?? '');
    for (const [option] of command.matchAll(/--[a-z-]+/g)) expect(known).toContain(`${option} `);
  }
});
