import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { mustRun } from '../run-program.js';
import { clientCache } from '../client-cache.js';
import { buildGoProgram } from '../go-programs.js';
import { buildFabric8, javaProgram } from '../java-programs.js';
import type { ServerProcess } from '../../support/server-process.js';
import { type Election, electProgram } from './elect-program.js';
import { frameworkPrograms, isInDatabase } from './framework-programs.js';
import { type Framework, type Kind, type Launch, FRAMEWORKS } from './kinds.js';

/** What the shell's programs run while they lead; long enough that `elect` does not pause. */
const TERM = `trap 'echo "lost $LEASE_HOLDER"; exit' TERM; echo "leading $LEASE_HOLDER $LEASE_TOKEN"; sleep 11 & wait; echo "lost $LEASE_HOLDER"`;
/** The same, until it is told to end at a place that is good half a second later. */
const LONG_TERM = TERM.replace(`trap '`, `trap 'sleep 0.5; `).replace('sleep 11', 'sleep 600');
/** Of contestants that hand over, in seconds. */
const MAX_TERM = 6;
const PRIORITIES = 3;
/** Small and quick to start. */
const JVM = ['-Xmx64m', '-Xshare:auto', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'] as const;

interface Surroundings {
  readonly server: ServerProcess;
  readonly access: ApiAccess;
  /** Through the pooler. */
  readonly databaseUrl: string;
}

/** How the programs of a race are started. */
export interface Launchers {
  /** What a proxy for this kind leads to. */
  portOf(kind: Kind): number;
  /** Candidates for a lease that reach the other side through a proxy's port. */
  launch(kind: Kind, lease: string, port: number): Promise<Launch>;
  /** The program that writes under tokens it is told. */
  writers(count: number): readonly [command: string, ...args: string[]];
}

/** Builds the programs of these kinds. */
export async function launchers(kinds: readonly Kind[], { server, access, databaseUrl }: Surroundings): Promise<Launchers> {
  const [elect, contest] = await Promise.all([
    kinds.includes('go') ? buildGoProgram('elect') : '',
    buildContest(),
    kinds.includes('fabric8') && buildFabric8(),
  ]);
  const root = path.resolve(import.meta.dirname, '../../..');
  const throughPort = (port: number) => {
    const url = new URL(databaseUrl);
    url.port = String(port);
    return url.toString();
  };
  const kubeconfigFor = async (port: number) => {
    const direct = await readFile(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
    const kubeconfig = path.join(server.dataDir, `race-${port}.kubeconfig`);
    await writeFile(kubeconfig, direct.replaceAll(`127.0.0.1:${server.port}`, `127.0.0.1:${port}`), { mode: 0o600 });
    return kubeconfig;
  };
  const shell =
    (lease: string, to: string, term = TERM, more: readonly string[] = []): Launch =>
    (identity) => [
      ...([process.execPath, path.join(root, 'dist/main.js'), 'elect', lease, to, '--namespace=default', '--duration=3s'] as const),
      ...[...more, `--holder=${identity}`, '--shell', '--', term],
    ];
  const typescript = (lease: string, port: number, more: Pick<Election, 'max-term' | 'priority'> = {}) => {
    const { token, caFile } = access;
    const to = { server: `https://127.0.0.1:${port}`, token, 'ca-file': caFile, database: server.databaseUrl };
    return Promise.resolve(electProgram({ ...to, name: lease, ...more }));
  };
  const framework = await frameworkPrograms(kinds, [process.execPath, path.join(root, 'dist/main.js'), 'lock']);
  const launchFramework = async (kind: Framework, lease: string, port: number): Promise<Launch> => {
    const inDatabase = isInDatabase(kind);
    const to = inDatabase ? server.port : port;
    const queue = path.join(server.dataDir, `queue-${lease}`);
    await mkdir(queue, { recursive: true });
    return framework(kind, {
      lease,
      databaseUrl: inDatabase ? throughPort(port) : databaseUrl,
      server: `https://127.0.0.1:${to}`,
      token: access.token,
      caFile: access.caFile,
      kubeconfig: await kubeconfigFor(to),
      queue,
    });
  };
  const launch: Readonly<Record<Exclude<Kind, Framework>, (lease: string, port: number) => Promise<Launch>>> = {
    sql: (lease, port) =>
      Promise.resolve((identity) => [contest, `--database=${throughPort(port)}`, `--lease=${lease}`, `--identity=${identity}`]),
    go: async (lease, port) => {
      const kubeconfig = await kubeconfigFor(port);
      // the program's own defaults are the durations of the others
      return (identity) => [elect, `--kubeconfig=${kubeconfig}`, `--name=${lease}`, `--identity=${identity}`];
    },
    typescript: (lease, port) => typescript(lease, port),
    typescriptterm: (lease, port) => typescript(lease, port, { 'max-term': MAX_TERM * 1000, priority: port % PRIORITIES }),
    fabric8: async (lease, port) => {
      const kubeconfig = await kubeconfigFor(port);
      return (identity) => ['java', ...JVM, `-Dkubeconfig=${kubeconfig}`, ...javaProgram('Elect', [lease, identity])];
    },
    curl: (lease, port) => {
      const url = `https://127.0.0.1:${port}/apis/coordination.k8s.io/v1/namespaces/default/leases/${lease}/lock`;
      return Promise.resolve((identity) => [path.join(import.meta.dirname, 'contend.sh'), url, access.caFile, access.token, identity]);
    },
    shell: async (lease, port) => shell(lease, `--kubeconfig=${await kubeconfigFor(port)}`),
    shellterm: async (lease, port) => {
      const handOver = [`--max-term=${MAX_TERM}s`, '--drain=1s', `--priority=${port % PRIORITIES}`];
      return shell(lease, `--kubeconfig=${await kubeconfigFor(port)}`, LONG_TERM, handOver);
    },
    shelldb: (lease, port) => Promise.resolve(shell(lease, `--database-url=${throughPort(port)}`)),
  };
  return {
    portOf: (kind) =>
      kind === 'sql' || kind === 'shelldb' || (isFramework(kind) && isInDatabase(kind)) ? Number(new URL(databaseUrl).port) : server.port,
    launch: (kind, lease, port) => (isFramework(kind) ? launchFramework(kind, lease, port) : launch[kind](lease, port)),
    writers: (count) => [contest, `--database=${databaseUrl}`, `--write=${count}`],
  };
}

const isFramework = (kind: Kind): kind is Framework => (FRAMEWORKS as readonly Kind[]).includes(kind);

async function buildContest(): Promise<string> {
  const binary = path.join(clientCache('sql'), 'contest');
  await mustRun('go', ['build', '-o', binary, './contest'], { cwd: path.resolve(import.meta.dirname, '../sql') });
  return binary;
}
