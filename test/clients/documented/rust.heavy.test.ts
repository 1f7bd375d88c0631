import { tmpdir } from 'node:os';
import path from 'node:path';
import { clientCache } from '../client-cache.js';
import { mustRun } from '../run-program.js';
import { CARGO, describeWith } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

describeWith([CARGO], 'the program of docs/clients/rust.md', () => {
  const target = clientCache('rust');

  const folder = scratchDirectory(tmpdir());

  itKeepsThePromises(async () => {
    writeFilesOf('clients/rust.md', folder);
    // the same profile as in test/clients/rust, so that shared dependencies are built once
    await mustRun('cargo', ['build', '--quiet'], { cwd: folder, env: { CARGO_TARGET_DIR: target, CARGO_PROFILE_DEV_DEBUG: 'false' } });
    return (program) => [path.join(target, 'debug/leases'), program];
  });
});
