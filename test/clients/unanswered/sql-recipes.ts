import { copyFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { jdbcUrl } from '../race/framework-programs.js';
import { GO, JAVAC, MAVEN, PYTHON, PYTHON_VENV } from '../toolchain.js';
import { JAVA, JAVASCRIPT, PYTHON as PY, GO as GOLANG } from './begins.js';
import { type Command, type Recipe, type Way, type Work, writePage } from './recipe.js';

const pinned = path.resolve(import.meta.dirname, '../sql');
const root = path.resolve(import.meta.dirname, '../../..');

/** A program of docs/clients/sql.md. */
function program(name: string, needs: Recipe['needs'], work: Work, build: (folder: string) => Promise<Command['command']>): Recipe {
  return {
    ...{ name, via: 'database', needs, tells: true },
    build: async (folder, lease) => {
      writePage('clients/sql.md', folder, lease, [work]);
      const command = await build(folder);
      return ({ databaseUrl }: Way) => ({ command, env: { DATABASE_URL: command[0] === 'java' ? jdbcUrl(databaseUrl) : databaseUrl } });
    },
  };
}

const python = (name: string): Recipe =>
  program(
    name,
    [PYTHON, PYTHON_VENV],
    { file: 'lease.py', place: '            work(term.token)\n', work: `            ${PY}\n` },
    async (folder) => [await installPythonClients('sql'), path.join(folder, `lease_${name}.py`)],
  );

export const SQL_RECIPES: readonly Recipe[] = [
  python('psycopg'),
  python('sqlalchemy'),
  program(
    'pgx',
    [GO],
    { file: 'main.go', place: 'func (t *term) work() error {\n', work: `func (t *term) work() error {\n${GOLANG}\nreturn nil\n` },
    async (folder) => {
      for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(pinned, file), path.join(folder, file));
      await mustRun('go', ['build', '-o', 'leases', '.'], { cwd: folder });
      return [path.join(folder, 'leases')];
    },
  ),
  program(
    'jdbc',
    [MAVEN, JAVAC],
    {
      file: 'Lease.java',
      place: '  void work() throws SQLException {\n',
      work: `  void work() throws SQLException {\n${JAVA}\nif (true) return;\n`,
    },
    async (folder) => {
      await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies'], { cwd: pinned });
      const libraries = `${pinned}/target/libraries/*`;
      await mustRun('javac', ['-cp', libraries, '-d', folder, 'Lease.java'], { cwd: folder });
      return ['java', '-Xmx64m', '-cp', `${folder}:${libraries}`, 'Lease'];
    },
  ),
  program(
    'node-postgres',
    [],
    { file: 'lease.mjs', place: 'async function work(token) {\n', work: `async function work(token) {\n${JAVASCRIPT}\nreturn;\n` },
    (folder) => {
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      return Promise.resolve([process.execPath, path.join(folder, 'lease.mjs')]);
    },
  ),
];
