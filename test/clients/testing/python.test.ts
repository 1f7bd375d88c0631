import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { it } from '@jest/globals';
import { PROGRAM } from '../../support/program-under-test.js';
import { folderOfSuite } from '../documented/documented-program.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { describeWith, PYTHON } from '../toolchain.js';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../packages/testing/examples/test_election.py');

describeWith([PYTHON], 'packages/testing/examples/test_election.py', () => {
  const folder = folderOfSuite();

  it('pass against a test server', async () => {
    const python = await installPythonClients();
    copyFileSync(EXAMPLE, path.join(folder, 'test_election.py'));
    const env = { LEASE_TEST_SERVER: `${process.execPath} ${PROGRAM} test-server`, PYTHONDONTWRITEBYTECODE: '1' };
    await mustRun(python, ['-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', folder], { cwd: folder, env });
  });
});
