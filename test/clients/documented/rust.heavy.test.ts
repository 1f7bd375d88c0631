import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { clientCache } from '../client-cache.js';
import { mustRun } from '../run-program.js';
import { CARGO, describeWith } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';

describeWith([CARGO], 'the program of docs/clients/rust.md', () => {
  const target = clientCache('rust');

  itKeepsThePromises(async () => {
    const folder = mkdtempSync(path.join(clientCache('documented'), 'rust-'));
    writeFilesOf('clients/rust.md', folder);
    await mustRun('cargo', ['build', '--quiet'], {
      cwd: folder,
      env: { CARGO_TARGET_DIR: target, RUSTFLAGS: '-D warnings -C debuginfo=0' },
    });
    return (program) => [path.join(target, 'debug/leases'), program];
  });
});
