import { tmpdir } from 'node:os';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { mustRun } from '../run-program.js';
import { describeWith, GO } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const pinned = path.resolve(import.meta.dirname, '../go');

describeWith([GO], 'the program of docs/clients/go.md', () => {
  const folder = scratchDirectory(tmpdir());

  itKeepsThePromises(async () => {
    for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(pinned, file), path.join(folder, file));
    writeFilesOf('clients/go.md', folder);
    expect(await mustRun('gofmt', ['-l', folder])).toBe('');
    await mustRun('go', ['vet', '.'], { cwd: folder });
    const binary = path.join(folder, 'leases');
    await mustRun('go', ['build', '-o', binary, '.'], { cwd: folder });
    return (program) => [binary, program];
  });
});
