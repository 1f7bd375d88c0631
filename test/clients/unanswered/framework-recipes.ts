import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { tableOf } from '../race/fenced-tables.js';
import { buildJavaExamples, jdbcUrl } from '../race/framework-programs.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { JAVAC, MAVEN, PYTHON, PYTHON_VENV, RUFUS } from '../toolchain.js';
import { JAVA, PYTHON as PY, RUBY } from './begins.js';
import { type Command, type Recipe, type Way, writeExample } from './recipe.js';

const libraries = path.resolve(import.meta.dirname, '../../../examples/java/target/libraries/*');

/** The settings of the programs of docs/frameworks.md. */
function settings(folder: string, { lease, databaseUrl, directUrl, server, token, caFile }: Way, via: Recipe['via']): Command['env'] {
  const queue = path.join(folder, 'queue');
  mkdirSync(queue, { recursive: true });
  return {
    ...{ LEASE: lease, LEASE_SECONDS: '15', REPORT_TABLE: tableOf(lease), SERVER: server, TOKEN: token, CA_FILE: caFile },
    DATABASE_URL: databaseUrl,
    JDBC_URL: jdbcUrl(via === 'database' ? databaseUrl : directUrl),
    ...{ BROKER_URL: 'filesystem://', BROKER_FOLDER: queue, PYTHONDONTWRITEBYTECODE: '1' },
  };
}

type Build = (folder: string) => Promise<Command['command']>;

function example(name: string, needs: Recipe['needs'], build: Build, { via = 'database', tells = true }: Partial<Recipe> = {}): Recipe {
  return {
    ...{ name, via, needs, tells },
    build: async (folder) => {
      const command = await build(folder);
      return (way) => ({ command, env: settings(folder, way, via) });
    },
  };
}

const java =
  (program: string): Build =>
  async (folder) => {
    const work = `    ${JAVA}\n    if (true) return;\n`;
    writeExample('java', folder, [{ file: 'Report.java', place: '    Thread.sleep(600); // the work\n', work }]);
    await buildJavaExamples();
    await mustRun(
      'javac',
      ['-proc:none', '-parameters', '-cp', `${folder}:${libraries}`, '-sourcepath', folder, '-d', folder, `${program}.java`],
      {
        cwd: folder,
      },
    );
    return ['java', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${folder}:${libraries}`, program];
  };

export const FRAMEWORK_RECIPES: readonly Recipe[] = [
  example('apscheduler', [PYTHON, PYTHON_VENV], async (folder) => {
    writeExample('python', folder, [
      { file: 'app_apscheduler.py', place: 'def report():\n', work: `def report():\n    ${PY}\n    return\n` },
    ]);
    return [await installPythonClients('sql'), path.join(folder, 'app_apscheduler.py')];
  }),
  // What begins is the sending: a worker compares a task's token if it matters.
  example('celery', [PYTHON, PYTHON_VENV], async (folder) => {
    const place = '        super().apply_entry(entry, producer)\n';
    writeExample('python', folder, [{ file: 'lease_celery.py', place, work: `        ${PY}\n${place}` }]);
    return [await installPythonClients('sql'), path.join(folder, 'app_celery.py')];
  }),
  example(
    'rufus',
    [RUFUS],
    (folder) => {
      writeExample('ruby', folder, [
        { file: 'app_rufus.rb', place: "scheduler.every '1s' do\n", work: `scheduler.every '1s' do\n  ${RUBY}\n  next\n` },
      ]);
      return Promise.resolve(['ruby', path.join(folder, 'app_rufus.rb')]);
    },
    { tells: false },
  ),
  example('spring', [MAVEN, JAVAC], java('SpringApp')),
  example('shedlock', [MAVEN, JAVAC], java('ShedLockApp'), { via: 'server', tells: false }),
];
