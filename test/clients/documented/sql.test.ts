import { tmpdir } from 'node:os';
import { copyFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverUrl } from '../../support/test-database.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { type Tool, GO, JAVAC, MAVEN, PGBOUNCER, PYTHON, PYTHON_VENV, whyNot } from '../toolchain.js';
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { filesOf, writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { SqlSite } from './sql-site.js';

const pinned = path.resolve(import.meta.dirname, '../sql');
const root = path.resolve(import.meta.dirname, '../../..');
/** Exit codes after a stop signal; Java's contain the signal's number. */
const TOLD = [0, 130, 143];

/** A program of the page: what it needs, and the command that runs it once it is built in `folder`. */
interface Recipe {
  readonly file: string;
  readonly needs: readonly Tool[];
  readonly command: (folder: string) => Promise<readonly string[]>;
}

const python = (file: string): Recipe => ({
  file,
  needs: [PYTHON, PYTHON_VENV],
  command: async (folder) => [await installed(), path.join(folder, file)],
});
let installing: Promise<string> | undefined;
const installed = () => (installing ??= installPythonClients('sql'));

/** What both programs in Python import. */
const LOOP = 'lease.py';

const RECIPES: readonly Recipe[] = [
  python('lease_psycopg.py'),
  python('lease_sqlalchemy.py'),
  {
    file: 'main.go',
    needs: [GO],
    command: async (folder) => {
      for (const file of ['go.mod', 'go.sum']) copyFileSync(path.join(pinned, file), path.join(folder, file));
      expect(await mustRun('gofmt', ['-l', folder])).toBe('');
      await mustRun('go', ['vet', '.'], { cwd: folder });
      await mustRun('go', ['build', '-o', 'leases', '.'], { cwd: folder });
      return [path.join(folder, 'leases')];
    },
  },
  {
    file: 'Lease.java',
    needs: [MAVEN, JAVAC],
    command: async (folder) => {
      await mustRun('mvn', ['-B', '-q', 'dependency:copy-dependencies'], { cwd: pinned });
      const libraries = `${pinned}/target/libraries/*`;
      await mustRun('javac', ['-Xlint:all', '-cp', libraries, '-d', folder, 'Lease.java'], { cwd: folder });
      return ['java', '-cp', `${folder}:${libraries}`, 'Lease'];
    },
  },
  {
    file: 'lease.mjs',
    needs: [],
    command: (folder) => {
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      return Promise.resolve([process.execPath, path.join(folder, 'lease.mjs')]);
    },
  },
];

describe('the programs of docs/clients/sql.md', () => {
  const folder = scratchDirectory(tmpdir());
  const without = whyNot(PGBOUNCER);
  let bouncer: PgBouncer | undefined;
  const sites: SqlSite[] = [];

  beforeAll(async () => {
    writeFilesOf('clients/sql.md', folder);
    if (without === undefined) bouncer = await startPgBouncer(serverUrl(), 'transaction');
  });
  afterAll(async () => {
    for (const site of sites) await site.close();
    await bouncer?.stop();
  });

  test('are all of the page', () => {
    expect([...filesOf('clients/sql.md').keys()].sort()).toEqual([LOOP, ...RECIPES.map(({ file }) => file)].sort());
  });

  for (const { file, needs, command } of RECIPES) {
    const missing = needs.map(whyNot).filter((reason) => reason !== undefined);
    const run = missing.length === 0 ? test.concurrent : test.skip;
    const title = missing.length === 0 ? file : `${file}: skipped: ${missing.join(', ')}`;

    run(`${title}: takes over when the lease is released, renews it, and writes nothing once somebody else has it`, async () => {
      const site = await SqlSite.open(await command(folder), file.endsWith('.java'));
      sites.push(site);
      const first = site.start(site.url);
      const before = await site.token(first);
      // behind PgBouncer where there is one
      const second = site.start(bouncer?.url(site.databaseUrl) ?? site.url);
      await site.renewed();
      await site.written();
      expect(second.lines.filter((line) => line.startsWith('leading'))).toEqual([]);
      first.signal('SIGTERM');
      const after = await site.token(second);
      expect(Number(after)).toBeGreaterThan(Number(before));
      expect(TOLD).toContain(await site.end(first));
      await site.written();

      const balance = await site.seize();
      expect(await site.end(second)).toBe(1);
      expect(second.lines).toContain('lost');
      expect(await site.balance()).toBe(balance);
    });
  }
});
