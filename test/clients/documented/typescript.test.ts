import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from '@jest/globals';
import { buildPackage } from '../../../packages/leader-election/test/support/build-package.js';
import { mustRun } from '../run-program.js';
import { itKeepsThePromises } from './client-promises.js';
import { folderOfSuite, writeFilesOf } from './documented-program.js';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the programs of docs/clients/typescript.md', () => {
  // Outside node_modules, where Node accepts only JavaScript.
  const folder = folderOfSuite();

  itKeepsThePromises(async () => {
    await buildPackage();
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    writeFilesOf('clients/typescript.md', folder);
    const types = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    await mustRun(tsc, [...types, '--skipLibCheck', '--allowImportingTsExtensions', 'elect.ts', 'members.ts'], { cwd: folder });
    return (program) => [process.execPath, path.join(folder, `${program}.ts`)];
  });
});
