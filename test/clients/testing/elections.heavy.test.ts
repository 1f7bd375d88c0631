import { tmpdir } from 'node:os';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { it } from '@jest/globals';
import { writeFilesOf } from '../documented/documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { mustRun } from '../run-program.js';
import { testRust } from '../rust-programs.js';
import { CARGO, describeWith } from '../toolchain.js';
import { copyExamples, SERVER } from './election-examples.js';
import { itPassesFiveCases } from './it-passes-five-cases.js';

itPassesFiveCases('fabric8');

describeWith([CARGO], 'the election of docs/clients/rust.md', () => {
  const folder = scratchDirectory(tmpdir());

  it('passes the five cases against a test server', async () => {
    writeFilesOf('clients/rust.md', folder);
    await mustRun('cargo', ['add', '--quiet', '--dev', 'http@1'], { cwd: folder });
    mkdirSync(path.join(folder, 'tests'));
    copyExamples('election.rs', path.join(folder, 'tests'));
    await testRust(folder, SERVER);
  }, 1_200_000);
});
