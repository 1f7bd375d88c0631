import path from 'node:path';
import { mustRun } from '../run-program.js';
import { describeWith, JAVAC, MAVEN } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { filesOf, folderOfSuite, writeFilesOf } from './documented-program.js';

const pinned = path.resolve(import.meta.dirname, '../java');

describeWith([MAVEN, JAVAC], 'the programs of docs/clients/java.md', () => {
  const folder = folderOfSuite();

  itKeepsThePromises(async () => {
    await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies'], { cwd: pinned });
    writeFilesOf('clients/java.md', folder);
    const libraries = `${pinned}/target/libraries/*`;
    await mustRun(
      'javac',
      [
        '-Xlint:all,-processing',
        '-cp',
        libraries,
        '-d',
        folder,
        ...[...filesOf('clients/java.md').keys()].filter((file) => file.endsWith('.java')),
      ],
      {
        cwd: folder,
      },
    );
    return (program) => ['java', '-cp', `${folder}:${libraries}`, program === 'elect' ? 'Elect' : 'Members'];
  });
});
