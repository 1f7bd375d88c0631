import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { ClientProcess } from '../client-process.js';
import { mustRun } from '../run-program.js';
import { describeWith, JAVAC, MAVEN } from '../toolchain.js';
import { itKeepsThePromises } from './client-promises.js';
import { filesOf, writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

describeWith([MAVEN, JAVAC], 'the programs of docs/clients/java.md', () => {
  const folder = scratchDirectory(tmpdir());
  const libraries = `${folder}/libraries/*`;

  itKeepsThePromises(async () => {
    writeFilesOf('clients/java.md', folder);
    await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=libraries'], { cwd: folder });
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

  test("the client's log is printed, without lines about its set-up", async () => {
    const env = { PATH: process.env['PATH'], SERVER: 'https://127.0.0.1:1', TOKEN: 'x' };
    const client = new ClientProcess('java', ['-cp', `${folder}:${libraries}`, 'Elect', 'me'], env);
    await client.line(/ WARN .*LeaderElector/);
    await client.kill();
    expect(client.lines.filter((line) => line.includes('SLF4J'))).toEqual([]);
  });
});
