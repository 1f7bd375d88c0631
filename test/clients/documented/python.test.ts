import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { installPythonClients } from '../python-programs.js';
import { describeWith, PYTHON, PYTHON_VENV } from '../toolchain.js';
import { ClientSite } from './client-site.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

describeWith([PYTHON, PYTHON_VENV], 'the programs of docs/clients/python.md', () => {
  const folder = scratchDirectory(tmpdir());

  const prepare = async () => {
    const python = await installPythonClients();
    writeFilesOf('clients/python.md', folder);
    return (program: string) => [python, path.join(folder, `${program}.py`)];
  };
  itKeepsThePromises(prepare);

  test.concurrent("the client's own election shares the lease with the page's: one leads after the other is killed", async () => {
    const site = await ClientSite.open(await prepare());
    const own = site.start('leaselock', 'own', site.byKubeconfig());
    await own.line(/^leading$/);
    const waiting = site.start('elect', 'waiting', await site.byToken());
    await site.renewedBesideACandidate();
    expect(waiting.lines).toEqual([]);
    await own.kill();
    await waiting.line(/^leading \d+$/);
    await site.close();
  });
});
