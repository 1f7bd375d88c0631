import { it } from '@jest/globals';
import { PROGRAM } from '../../support/program-under-test.js';
import { folderOfSuite, writeFilesOf } from '../documented/documented-program.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { describeWith, PYTHON } from '../toolchain.js';

describeWith([PYTHON], 'the tests of docs/testing/python.md', () => {
  const folder = folderOfSuite();

  it('pass against a test server', async () => {
    const python = await installPythonClients();
    writeFilesOf('testing/python.md', folder);
    const env = { LEASE_TEST_SERVER: `${process.execPath} ${PROGRAM} test-server`, PYTHONDONTWRITEBYTECODE: '1' };
    await mustRun(python, ['-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', folder], { cwd: folder, env });
  });
});
