import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { startServerProcess } from '../../support/server-process.js';
import { describeWith, KUBECTL } from '../toolchain.js';

const pages = ['concepts', 'terms'].map((name) => readFileSync(path.resolve(import.meta.dirname, `../../../docs/${name}.md`), 'utf8'));

interface Step {
  readonly command: string;
  /** "..." stands for any number of lines. */
  readonly output: string;
}

/** Commands begin with "$ "; a here-document belongs to its command. */
function stepsOf(transcript: string): Step[] {
  return transcript.split(/^\$ /m).flatMap((step) => {
    if (step === '') return [];
    const [, command = '', output = ''] = /^(.*<<EOF\n[^]*?^EOF|.*)\n([^]*)$/m.exec(step) ?? [];
    return [{ command, output }];
  });
}

/** Masks values that differ from run to run. */
function generalized(output: string): string {
  return output
    .replace(/^\d+$/gm, 'NUMBER')
    .replace(/^([\w-]+)\.\d+\b/gm, '$1.TOKEN')
    .replace(/ +\d+s\b/gm, ' AGE')
    .replace(/ from \w+ namespace$/gm, '')
    .trimEnd();
}

describeWith([KUBECTL], 'the transcripts of docs/concepts.md and docs/terms.md', () => {
  const server = forAllTests(() => startServerProcess());

  const transcripts = pages.flatMap((page) => [...page.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, text = '']) => text));

  test.each(transcripts.map((text) => [text.split('\n')[0], text]))('%s', (_, text = '') => {
    for (const { command, output } of stepsOf(text)) {
      const env = { ...process.env, KUBECONFIG: path.join(server.dataDir, 'admin.kubeconfig') };
      const ran = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], { cwd: server.dataDir, env, encoding: 'utf8' });
      const [shown = '', rest] = generalized(output).split('\n...');
      const found = generalized(ran.stdout);
      expect([command, rest === undefined ? found : found.slice(0, shown.length)]).toEqual([command, shown]);
    }
  });

  test('the pages contain commands', () => expect(transcripts.length).toBeGreaterThan(4));
});
