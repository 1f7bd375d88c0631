import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPackage } from '../../../packages/leader-election/test/support/build-package.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { buildRust } from '../rust-programs.js';
import { type Tool, CARGO, GO, JAVAC, MAVEN, PYTHON, PYTHON_VENV } from '../toolchain.js';
import { GO as GOLANG, JAVA, JAVASCRIPT, PYTHON as PY, RUST } from './begins.js';
import { type Command, type Recipe, type Work, writePage } from './recipe.js';

const root = path.resolve(import.meta.dirname, '../../..');

/** A program of a page that uses a Kubernetes client. */
function elector(
  name: string,
  page: string,
  needs: readonly Tool[],
  work: Work,
  build: (folder: string) => Promise<Command['command']>,
): Recipe {
  return {
    ...{ name, via: 'server', needs, tells: true },
    build: async (folder, lease) => {
      writePage(page, folder, lease, [work]);
      const command = await build(folder);
      return ({ server, token, caFile }) => ({ command, env: { SERVER: server, TOKEN: token, CA_FILE: caFile, KUBECONFIG: '' } });
    },
  };
}

export const PAGE_RECIPES: readonly Recipe[] = [
  elector(
    ...(['client-go', 'clients/go.md', [GO]] as const),
    {
      file: 'elect.go',
      place: '\t\tsleep(ctx, time.Second)\n\t}\n',
      work: `${GOLANG}\nsleep(ctx, 200*time.Millisecond)\n}\nfmt.Println("lost")\n`,
    },
    async (folder) => {
      for (const file of ['go.mod', 'go.sum']) copyFileSync(path.resolve(import.meta.dirname, '../go', file), path.join(folder, file));
      await mustRun('go', ['build', '-o', 'leases', '.'], { cwd: folder });
      return [path.join(folder, 'leases'), 'elect', 'me'];
    },
  ),
  elector(
    ...(['python', 'clients/python.md', [PYTHON, PYTHON_VENV]] as const),
    { file: 'elect.py', place: '        term.told.wait(1)\n', work: `        ${PY}\n        term.told.wait(0.2)\n` },
    async (folder) => [await installPythonClients(), path.join(folder, 'elect.py'), 'me'],
  ),
  elector(
    ...(['python-own', 'clients/python.md', [PYTHON, PYTHON_VENV]] as const),
    { file: 'leaselock.py', place: '            time.sleep(1)\n', work: `            ${PY}\n            time.sleep(0.2)\n` },
    async (folder) => [await installPythonClients(), path.join(folder, 'leaselock.py'), 'me'],
  ),
  elector(
    ...(['typescript', 'clients/typescript.md', []] as const),
    { file: 'elect.ts', place: '    await sleep(1000, ', work: `    ${JAVASCRIPT}\n    await sleep(200, ` },
    async (folder) => {
      await buildPackage();
      writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      return [process.execPath, path.join(folder, 'elect.ts'), 'me'];
    },
  ),
  elector(
    ...(['fabric8', 'clients/java.md', [MAVEN, JAVAC]] as const),
    { file: 'Elect.java', place: '        lost.await(1, TimeUnit.SECONDS);\n', work: `${JAVA}\nlost.await(200, TimeUnit.MILLISECONDS);\n` },
    async (folder) => {
      await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=libraries'], { cwd: folder });
      const classes = ['-cp', `${folder}:${folder}/libraries/*`];
      await mustRun('javac', ['-proc:none', ...classes, '-sourcepath', folder, '-d', folder, 'Elect.java'], { cwd: folder });
      return ['java', '-Xmx96m', '-XX:+UseSerialGC', ...classes, 'Elect', 'me'];
    },
  ),
  elector(
    ...(['kube-rs', 'clients/rust.md', [CARGO]] as const),
    {
      file: 'src/elect.rs',
      place: '        sleep(Duration::from_secs(1)).await;\n',
      work: `        ${RUST}\n        sleep(Duration::from_millis(200)).await;\n`,
    },
    async (folder) => [await buildRust(folder, 'leases'), 'elect', 'me'],
  ),
];
