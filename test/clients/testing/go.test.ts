import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { PROGRAM } from '../../support/program-under-test.js';
import { folderOfSuite } from '../documented/documented-program.js';
import { mustRun } from '../run-program.js';
import { describeWith, GO } from '../toolchain.js';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../packages/testing/examples/election_test.go');

describeWith([GO], 'packages/testing/examples/election_test.go', () => {
  const folder = folderOfSuite();

  it('pass against a test server', async () => {
    for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(import.meta.dirname, '../go', file), path.join(folder, file));
    copyFileSync(EXAMPLE, path.join(folder, 'election_test.go'));
    expect(await mustRun('gofmt', ['-l', folder])).toBe('');
    await mustRun('go', ['test', '.'], { cwd: folder, env: { LEASE_TEST_SERVER: `${process.execPath} ${PROGRAM} test-server` } });
  });
});
