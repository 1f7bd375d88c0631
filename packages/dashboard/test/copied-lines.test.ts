import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith, KUBECTL } from '../../../test/clients/toolchain.js';
import { PROGRAM } from '../../../test/support/program-under-test.js';
import { scratchDirectory } from '../../../test/support/scratch-directory.js';
import { benchForAllTests, row, SETTINGS } from './dashboard-bench.js';

describeWith([CHROMIUM, KUBECTL], 'the lines that the dashboard offers to copy', () => {
  const scratch = scratchDirectory();
  const bench = benchForAllTests(() => SETTINGS);
  beforeAll(async () => {
    await bench.createNamespaces('jobs');
    writeFileSync(path.join(scratch, 'coordination-apiserver'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
      mode: 0o755,
    });
  });

  const linesOf = async (page: Page, text: string): Promise<string[]> => {
    await page.locator('.copy-line code').filter({ hasText: text }).first().waitFor();
    return page.locator('.copy-line code').allTextContents();
  };

  /** Runs a line in a shell on the server's machine. One that goes on until it is stopped is stopped, and answers what it said. */
  const run = (line: string, goesOn = false): string => {
    const environment = {
      ...process.env,
      PATH: `${scratch}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: path.join(bench.server.dataDir, 'admin.kubeconfig'),
      COORDINATION_APISERVER_DATA_DIR: bench.server.dataDir,
    };
    const limit = goesOn ? 'timeout --signal=INT 4 ' : '';
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `${limit}bash -c "$LINE"`], {
      env: { ...environment, LINE: line },
      encoding: 'utf8',
      cwd: scratch,
    });
    expect([line, goesOn || status === 0, stderr]).toEqual([
      line,
      true,
      goesOn || line.startsWith('kubectl events') ? expect.any(String) : '',
    ]);
    return stdout;
  };

  test('give a token and an address to sign in with', async () => {
    const { page } = await bench.visit();
    const [token = '', ui = '', ...others] = await linesOf(page, 'token');
    expect(others).toEqual([]);
    expect(run(ui, true)).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    const signedIn = await bench.signIn('#/leases', run(token).trim());
    await signedIn.page.getByRole('link', { name: 'Server' }).first().waitFor();
  });

  test('create a first lease', async () => {
    const { page } = await bench.signIn('#/leases?ns=jobs');
    const lines = await linesOf(page, 'kubectl create');
    for (const line of lines.filter((each) => each.startsWith('echo'))) run(line);
    await row(page, 'example').waitFor();
    const curl = lines.filter((each) => each.startsWith('curl'));
    expect(curl).toHaveLength(1);
    // the lease is there by now
    for (const line of curl) expect(run(line.replace('curl ', 'curl --silent '))).toMatch(/"kind": ?"(Lease|Status)"/);
    expect(lines.filter((each) => each.startsWith('node scripts/example.mjs'))).toHaveLength(5);
  });

  test('ask for a lease, follow it, and release it', async () => {
    await bench.createLease('jobs', 'report', { holderIdentity: 'worker-1' });
    const { page } = await bench.signIn('#/leases/jobs/report');
    for (const line of await linesOf(page, 'kubectl patch')) {
      const said = run(line, line.includes('--watch'));
      if (!line.startsWith('kubectl events')) {
        expect([line, said]).toEqual([line, expect.stringContaining(line.includes('jsonpath') ? 'worker-1' : 'report')]);
      }
    }
    expect(await bench.specOf('jobs', 'report')).toMatchObject({ holderIdentity: '' });
  });
});
