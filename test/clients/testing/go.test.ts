import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { PROGRAM } from '../../support/program-under-test.js';
import { folderOfSuite, writeFilesOf } from '../documented/documented-program.js';
import { mustRun } from '../run-program.js';
import { describeWith, GO } from '../toolchain.js';

describeWith([GO], 'the tests of docs/testing/go.md', () => {
  const folder = folderOfSuite();

  it('pass against a test server', async () => {
    for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(import.meta.dirname, '../go', file), path.join(folder, file));
    writeFilesOf('testing/go.md', folder);
    expect(await mustRun('gofmt', ['-l', folder])).toBe('');
    await mustRun('go', ['test', '.'], { cwd: folder, env: { LEASE_TEST_SERVER: `${process.execPath} ${PROGRAM} test-server` } });
  });
});
