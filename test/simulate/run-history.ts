import { isStorageError } from '../../src/storage/storage-errors.js';
import type { Random } from '../fuzz/random.js';
import { Freshness } from './check/freshness.js';
import { History } from './check/history.js';
import { checkNamespaces } from './check/namespace-check.js';
import { ReadCheck } from './check/read-check.js';
import { WriteCheck } from './check/write-check.js';
import { type Fault, FAULTS, Faults } from './faults.js';
import { Network, network } from './network/network.js';
import { Cluster } from './postgres/cluster.js';
import type { Context } from './workload/context.js';
import { beginElections } from './workload/elections.js';
import { type SimulatedServer, ServerLost } from './workload/simulated-server.js';
import { beginStorage } from './workload/storage.js';
import type { Workload } from './workload/workload.js';
import { LEASES } from './workload/writer.js';
import { enter } from './world/install.js';
import { SimulatedProcess } from './world/simulated-process.js';
import { Finding, World } from './world/world.js';

export interface HistoryOptions {
  readonly seed: number;
  readonly traced?: boolean;
  /** Faults that are left out. */
  readonly without?: readonly Fault[];
}

export interface HistoryResult {
  readonly seed: number;
  readonly steps: number;
  readonly commits: number;
  readonly finding: Error | undefined;
  readonly faults: readonly Fault[];
  readonly lines: readonly string[];
}

/** One history in this many covers the registry, controllers and elections; the others cover storage alone. */
const ELECTIONS_EVERY = 6;
/** Time between the last fault and the final check. */
const LOOK_MS = 10_000;

/** The kind of history of a seed. */
export function kindOf(seed: number): 'elections' | 'storage' {
  return seed % ELECTIONS_EVERY === 0 ? 'elections' : 'storage';
}

/** Runs one history from its seed. `install` must have been called. */
export async function runHistory({ seed, traced = false, without = [] }: HistoryOptions): Promise<HistoryResult> {
  const world = new World(seed, traced);
  enter(world);
  const elections = kindOf(seed) === 'elections';
  const history = new History(elections ? checkNamespaces : undefined);
  const random = world.stream();
  const endsAt = random.pick(elections ? [20_000, 60_000] : [3_000, 8_000, 25_000]);
  const context = makeContext(world, random, history, endsAt);
  const workload = elections ? beginElections(context, world.stream()) : beginStorage(context, world.stream());
  const faults = letThingsGoWrong(context, workload, world.stream(), without);
  await world.run(context.endsAt + workload.restMs);
  if (!world.finding) await look(context, workload);
  const { finding, steps, lines = [] } = world;
  return { seed, steps, commits: history.size, finding, faults: [...faults.happened], lines };
}

function makeContext(world: World, random: Random, history: History, endsAt: number): Context {
  const net = new Network(world);
  net.usualMs = random.pick([0.5, 2, 10]);
  const speed = { executionMs: random.pick([0.2, 1, 5]), commitMs: random.pick([0.5, 3, 30]) };
  const [synchronous, lagMs] = [random.chance(0.4), random.pick([20, 500, 3_000])];
  const cluster = new Cluster({ world, network: net, history, speed, synchronous, lagMs, skewMs: 200 });
  const freshness = new Freshness(history, cluster, () => world.now());
  const [reads, writes] = [new ReadCheck(history, freshness), new WriteCheck(history, freshness)];
  return { world, cluster, servers: [], history, freshness, reads, writes, endsAt };
}

function letThingsGoWrong(
  { world, cluster, servers, endsAt }: Context,
  workload: Workload,
  random: Random,
  without: readonly Fault[],
): Faults {
  const enabled = FAULTS.filter(() => random.chance(0.3));
  const everyMs = random.pick([500, 2_000, 8_000]);
  // the operator of PostgreSQL ensures this
  world.after(endsAt, () => (cluster.endOld(), network(world).cutOff.clear()), null);
  return new Faults({ world, cluster, servers, candidates: workload.candidates, enabled, without, everyMs, endsAt });
}

/** After the faults have ended: every server answers, shows all commits, and writes. */
async function look(context: Context, workload: Workload): Promise<void> {
  const { world, servers } = context;
  const observer = new SimulatedProcess('observer');
  let left = servers.length;
  const ask = (server: SimulatedServer) => void answered(context, server, observer).then(() => left--, report);
  const report = (error: unknown) => world.report(error);
  for (const server of servers) world.after(0, () => ask(server), observer);
  const settled = context.cluster.contents.head.to;
  await world.run(world.now() + LOOK_MS);
  if (world.finding) return;
  try {
    if (left > 0) throw new Finding('a server does not answer at the end');
    workload.finish(settled);
  } catch (error) {
    world.report(error);
  }
}

const PROBE = { resource: 'probes', namespace: '' };
const NOTHING = { uid: '', data: '{}', terminating: false };

/** Gets a consistent list and a write from a server, which may have to start first. */
async function answered({ world, freshness, reads }: Context, server: SimulatedServer, observer: SimulatedProcess): Promise<void> {
  const request = { range: { resource: LEASES }, consistency: { kind: 'latest' } } as const;
  for (;;) {
    const mark = freshness.mark();
    try {
      const answer = await server.call(observer, async () => server.store?.list(request.range, request));
      if (answer) reads.answered(request, mark, answer);
      const written = await server.call(observer, async () => server.store?.create({ ...PROBE, name: server.name }, NOTHING));
      if (answer && written) return;
    } catch (error) {
      if (isStorageError(error, 'Exists')) return;
      const passes = isStorageError(error, 'Unavailable') || isStorageError(error, 'OutcomeUnknown');
      if (!(error instanceof ServerLost || passes)) throw error;
    }
    await world.sleep(500);
  }
}
