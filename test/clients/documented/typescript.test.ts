import { tmpdir } from 'node:os';
import { globSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from '@jest/globals';
import { buildPackage } from '../../../packages/leader-election/test/support/build-package.js';
import { mustRun } from '../run-program.js';
import { itKeepsThePromises } from './client-promises.js';
import { writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const root = path.resolve(import.meta.dirname, '../../..');
const packed = path.join(root, 'packages/leader-election');

describe('the programs of docs/clients/typescript.md, with the packed package', () => {
  // Outside node_modules, where Node accepts only JavaScript.
  const folder = scratchDirectory(tmpdir());

  itKeepsThePromises(async () => {
    await buildPackage();
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    await mustRun('npm', ['pack', '--silent', '--ignore-scripts', `--pack-destination=${folder}`], { cwd: packed });
    await mustRun('npm', ['install', '--silent', '--offline', ...globSync('*.tgz', { cwd: folder }).map((file) => `./${file}`)], {
      cwd: folder,
    });
    for (const scope of ['@kubernetes', '@types']) {
      symlinkSync(path.join(root, 'node_modules', scope), path.join(folder, 'node_modules', scope));
    }
    writeFilesOf('clients/typescript.md', folder);
    const types = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    await mustRun(tsc, [...types, '--skipLibCheck', '--allowImportingTsExtensions', 'elect.ts', 'members.ts'], { cwd: folder });
    return (program) => [process.execPath, path.join(folder, `${program}.ts`)];
  });
});
