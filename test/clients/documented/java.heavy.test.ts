import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { clientCache } from '../client-cache.js';
import { mustRun } from '../run-program.js';
import { describeWith, JAVAC, MAVEN } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { filesOf, writeFilesOf } from './documented-program.js';

const pinned = path.resolve(import.meta.dirname, '../java');

describeWith([MAVEN, JAVAC], 'the programs of docs/clients/java.md', () => {
  itKeepsThePromises(async () => {
    await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies'], { cwd: pinned });
    const folder = mkdtempSync(path.join(clientCache('documented'), 'java-'));
    writeFilesOf('clients/java.md', folder);
    const libraries = `${pinned}/target/libraries/*`;
    await mustRun('javac', ['-Xlint:all,-processing', '-cp', libraries, '-d', folder, ...filesOf('clients/java.md').keys()], {
      cwd: folder,
    });
    return (program) => ['java', '-cp', `${folder}:${libraries}`, program === 'elect' ? 'Elect' : 'Members'];
  });
});
