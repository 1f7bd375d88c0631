import path from 'node:path';
import { installPythonClients } from '../python-programs.js';
import { describeWith, PYTHON, PYTHON_VENV } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { folderOfSuite, writeFilesOf } from './documented-program.js';

describeWith([PYTHON, PYTHON_VENV], 'the programs of docs/clients/python.md', () => {
  const folder = folderOfSuite();

  itKeepsThePromises(async () => {
    const python = await installPythonClients();
    writeFilesOf('clients/python.md', folder);
    return (program) => [python, path.join(folder, `${program}.py`)];
  });
});
