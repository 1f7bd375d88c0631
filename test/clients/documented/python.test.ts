import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { clientCache } from '../client-cache.js';
import { installPythonClients } from '../python-programs.js';
import { describeWith, PYTHON, PYTHON_VENV } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';

describeWith([PYTHON, PYTHON_VENV], 'the programs of docs/clients/python.md', () => {
  itKeepsThePromises(async () => {
    const python = await installPythonClients();
    const folder = mkdtempSync(path.join(clientCache('documented'), 'python-'));
    writeFilesOf('clients/python.md', folder);
    return (program) => [python, path.join(folder, `${program}.py`)];
  });
});
