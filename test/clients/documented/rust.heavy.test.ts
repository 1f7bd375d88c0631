import { tmpdir } from 'node:os';
import { buildRust } from '../rust-programs.js';
import { CARGO, describeWith } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

describeWith([CARGO], 'the program of docs/clients/rust.md', () => {
  const folder = scratchDirectory(tmpdir());

  itKeepsThePromises(async () => {
    writeFilesOf('clients/rust.md', folder);
    const leases = await buildRust(folder, 'leases');
    return (program) => [leases, program];
  });
});
