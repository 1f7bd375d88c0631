import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildGoProgram } from '../../../../test/clients/go-programs.js';
import { type ServerProcess, startServerProcess } from '../../../../test/support/server-process.js';
import { createEmptyDatabase } from '../../../../test/support/test-database.js';
import { httpsTransport } from '../../../kube-client/src/https-transport.js';
import { type ApiAccess, apiAccess } from '../support/api-access.js';
import { TcpLink } from '../../../../test/support/tcp-link.js';
import { type Change, type ChangeResult, Contest } from './contest.js';
import { type Kind, type Launch, Contestant, typescriptProgram } from './contestant.js';
import { FencedTable } from './fenced-table.js';
import { LeaseHistory } from './lease-history.js';
import { type TortureReport, tortureReport } from './torture-report.js';

const LEASE = 'torture';
const CHANGES: readonly Change[] = ['killed', 'paused', 'cut off'];

/** Two client-go programs and two of this package compete for one lease of three seconds; each leader in turn is forced out. */
export async function runTorture(
  changes: number,
  onChange: (result: ChangeResult, at: number) => void = () => undefined,
): Promise<TortureReport> {
  await using server = await startServerProcess();
  await using database = await createEmptyDatabase();
  const table = new FencedTable(database.url);
  await table.create();
  const access = await apiAccess(server);
  const history = new LeaseHistory(httpsTransport(access), LEASE);
  await history.start();
  const contestants = await startContestants({ server, access, databaseUrl: database.url });
  const contest = new Contest(contestants, history, table);
  try {
    const results: ChangeResult[] = [];
    for (let at = 0; at < changes; at++) {
      const result = await contest.force(CHANGES[at % CHANGES.length] as Change);
      results.push(result);
      onChange(result, at);
    }
    await contest.rollCall();
    await contest.finish();
    await history.complete();
    return tortureReport({ results, history, contestants, writes: await table.figures() });
  } finally {
    await contest.finish();
    await history.stop();
    await table.close();
  }
}

interface Surroundings {
  readonly server: ServerProcess;
  readonly access: ApiAccess;
  readonly databaseUrl: string;
}

async function startContestants(surroundings: Surroundings): Promise<Contestant[]> {
  const launch = { go: goLauncher(surroundings), typescript: typescriptLauncher(surroundings) };
  const kinds: Kind[] = ['go', 'typescript', 'go', 'typescript'];
  return Promise.all(
    kinds.map(async (kind, place) => {
      const proxy = await TcpLink.to(surroundings.server.port);
      const contestant = new Contestant(kind, place, proxy, await launch[kind](proxy.port));
      contestant.start();
      return contestant;
    }),
  );
}

function goLauncher({ server }: Surroundings): (port: number) => Promise<Launch> {
  const building = buildGoProgram('elect');
  return async (port) => {
    const binary = await building;
    const direct = await readFile(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
    const kubeconfig = path.join(server.dataDir, `torture-${port}.kubeconfig`);
    await writeFile(kubeconfig, direct.replaceAll(`127.0.0.1:${server.port}`, `127.0.0.1:${port}`), { mode: 0o600 });
    // The program's own defaults are this lease's durations.
    return (identity) => [binary, `--kubeconfig=${kubeconfig}`, `--name=${LEASE}`, `--identity=${identity}`];
  };
}

function typescriptLauncher({ access, databaseUrl }: Surroundings): (port: number) => Promise<Launch> {
  return (port) => {
    const fixed = [`--server=https://127.0.0.1:${port}`, `--token=${access.token}`, `--ca-file=${access.caFile}`, `--name=${LEASE}`];
    return Promise.resolve((identity) => [
      ...typescriptProgram('elect.ts'),
      ...fixed,
      `--database=${databaseUrl}`,
      `--identity=${identity}`,
    ]);
  };
}
