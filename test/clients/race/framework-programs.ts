import path from 'node:path';
import pg from 'pg';
import { oneAtATime } from '../../support/one-at-a-time.js';
import { installPythonClients } from '../python-programs.js';
import { mustRun } from '../run-program.js';
import { tableOf } from './fenced-tables.js';
import type { Framework, Kind, Launch } from './kinds.js';

const examples = path.resolve(import.meta.dirname, '../../../examples');
const java = path.join(examples, 'java');
/** A class path. */
export const javaClasses = `${java}/target/classes:${java}/target/libraries/*`;
/** Frameworks whose locks are at the server; the others' are in the database. */
const AT_SERVER: readonly Kind[] = ['shedlock', 'cron'];

/** Which way a candidate reaches its lease and its table. */
interface Way {
  readonly lease: string;
  readonly databaseUrl: string;
  readonly server: string;
  readonly token: string;
  readonly caFile: string;
  readonly kubeconfig: string;
  /** A folder for the queue of Celery. */
  readonly queue: string;
}

export const isInDatabase = (kind: Kind): boolean => !AT_SERVER.includes(kind);

export async function buildJavaExamples(): Promise<void> {
  await oneAtATime(java, () => mustRun('mvn', ['-B', '-q', 'compile', 'dependency:copy-dependencies'], { cwd: java }));
}

/** Builds the programs of these kinds; returns their command lines. */
export async function frameworkPrograms(
  kinds: readonly Kind[],
  lock: readonly [string, ...string[]],
): Promise<(kind: Framework, way: Way) => Launch> {
  const has = (...some: Framework[]) => some.some((kind) => kinds.includes(kind));
  const python = has('apscheduler', 'celery') ? await installPythonClients('sql') : '';
  if (has('shedlock', 'spring')) await buildJavaExamples();
  const jvm = ['java', '-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', javaClasses];
  const cron = ['--namespace=default', '--duration=3s', '--fail-fast', '--quiet', '--conflict-exit-code=0'];
  const commands: Readonly<Record<Framework, (way: Way) => readonly string[]>> = {
    apscheduler: () => [python, path.join(examples, 'python/app_apscheduler.py')],
    celery: () => [python, path.join(examples, 'python/app_celery.py')],
    shedlock: () => [...jvm, 'ShedLockApp'],
    spring: () => [...jvm, 'SpringApp'],
    rufus: () => ['ruby', path.join(examples, 'ruby/app_rufus.rb')],
    cron: ({ lease, kubeconfig }) => [...lock, lease, `--kubeconfig=${kubeconfig}`, ...cron],
  };
  return (kind, way) => (identity) => {
    const { lease, databaseUrl } = way;
    const environment = {
      LEASE: lease,
      LEASE_SECONDS: '3',
      LEASE_HOLDER: identity,
      REPORT_TABLE: tableOf(lease),
      DATABASE_URL: databaseUrl,
      JDBC_URL: jdbcUrl(databaseUrl),
      SERVER: way.server,
      TOKEN: way.token,
      CA_FILE: way.caFile,
      BROKER_URL: 'filesystem://',
      BROKER_FOLDER: way.queue,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const job = kind === 'cron' ? [`--holder=${identity}`, '--', path.join(import.meta.dirname, 'cron-job.sh')] : [];
    return ['env', ...settings, ...commands[kind](way), ...job];
  };
}

/** As the pages say: what the next leader of Celery's beat goes on from. */
export const BEAT_ENTRY = 'create table public.beat_entry (name text primary key, last_run_at timestamptz not null, token bigint not null)';

/** A URL of PostgreSQL in JDBC's form. */
export function jdbcUrl(url: string): string {
  const { host, port, user, password, database } = new pg.Client(url);
  const login = new URLSearchParams({ user: user ?? '', password: String(password ?? '') });
  return `jdbc:postgresql://${host}:${port}/${database}?${login.toString()}`;
}
