import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.js';
import { Election } from './clients/election.js';
import { PrimaryProbe } from './clients/primary-probe.js';
import { DatabaseProbe } from './clients/database-probe.js';
import { readinessProbe } from './clients/readiness-probe.js';
import type { Repeated } from './clients/repeated.js';
import type { DatabaseNode } from './cluster/database-node.js';
import type { Recorder } from './clients/recorder.js';
import { type LeaseList, sightingsOf } from './clients/api-client.js';
import { Watcher } from './clients/watcher.js';
import { type WriterOptions, Writer } from './clients/writer.js';
import { wrongPicture } from './checks/watch-gaps.js';
import type { WriteFigures } from '../clients/race/recipe-table.js';
import type { Fleet, FleetServer } from './fleet.js';
import type { Reign } from '../clients/race/reigns-of.js';
import type { Sighting, Violation } from './history.js';

const RECOVERS_WITHIN_MS = 30_000;
const SEES_WITHIN_MS = 15_000;

export interface WorkloadOptions {
  readonly fleet: Fleet;
  readonly recorder: Recorder;
  readonly seed: number;
  readonly fenceUrl: string;
  readonly probeUrl: string;
  readonly nodes: readonly DatabaseNode[];
}

/** Everything that uses the servers: writers, watchers, readers, an election and probes. */
export class Workload {
  /** Violations found during the run rather than in the records. */
  readonly violations: Violation[] = [];
  readonly #fleet: Fleet;
  readonly #recorder: Recorder;
  readonly #writers: readonly Writer[];
  readonly #checkpoints: ReadonlyMap<FleetServer, Writer>;
  readonly #watchers: ReadonlyMap<FleetServer, Watcher>;
  readonly #probes: readonly (Repeated | DatabaseProbe | PrimaryProbe)[];
  readonly #election: Election;

  private constructor(options: WorkloadOptions, election: Election) {
    const { fleet, recorder, seed } = options;
    const { servers } = fleet;
    const clients = servers.map(({ client }) => client);
    const shared = Array.from({ length: 8 }, (_, at) => `shared-${at}`);
    const writer = (name: string, stream: number, own: Partial<WriterOptions>) =>
      new Writer({ name, clients, keys: shared, owns: false, pauseMs: 100, random: new Random(seed, stream), recorder, ...own });
    this.#fleet = fleet;
    this.#recorder = recorder;
    this.#election = election;
    this.#writers = [
      ...[1, 2, 3].flatMap((n) => [
        writer(`w${n}`, 10 + n, {}),
        writer(`o${n}`, 20 + n, { keys: [`own-${n}-a`, `own-${n}-b`, `own-${n}-c`], owns: true }),
      ]),
      // Each writes through one server only: a silent server delays the writers above, but not the service.
      ...clients.map((client) => {
        const { server } = client;
        return writer(`s${server}`, 30 + server, { clients: [client], keys: [`through-${server}`], pauseMs: 50 });
      }),
    ];
    this.#checkpoints = new Map(servers.map((server) => [server, checkpointWriter(server, recorder)]));
    this.#watchers = new Map(servers.map((server) => [server, new Watcher(`watcher of server ${server.index}`, server.client, recorder)]));
    this.#probes = [
      ...clients.map((client) => readinessProbe(client, recorder)),
      ...options.nodes.map((node) => new PrimaryProbe(node, recorder)),
      new DatabaseProbe(options.probeUrl, recorder),
    ];
  }

  static async start(options: WorkloadOptions): Promise<Workload> {
    const election = await Election.start(options.fleet.servers, options.fenceUrl, options.recorder);
    const workload = new Workload(options, election);
    for (const probe of workload.#probes) await probe.start();
    for (const watcher of workload.#watchers.values()) watcher.start();
    for (const writer of workload.#writers) writer.start();
    return workload;
  }

  get reigns(): readonly Reign[] {
    return this.#election.reigns;
  }

  /**
   * While the database works, each server must accept a write, and each watcher must see it. One that fails is a violation and is
   * restarted, so that the run can continue.
   */
  async checkpoint(): Promise<void> {
    const { servers } = this.#fleet;
    const written = await Promise.all(servers.map((server) => this.#write(server)));
    const behind = await Promise.all(servers.map((server) => this.#isBehind(server, written)));
    for (const [at, server] of servers.entries()) {
      if (written[at] !== undefined && !behind[at]) continue;
      await server.kill();
      await server
        .start()
        .catch((error: unknown) => this.#found('not recovered', `server ${server.index} does not start: ${String(error)}`));
    }
  }

  /** Makes the election's lease change hands, if possible. */
  handOver(): Promise<void> {
    return this.#election.handOver();
  }

  /** Stops the writers and the election, and compares the watchers' state with that of the servers. */
  async finish(): Promise<{ readonly final: ReadonlyMap<string, Sighting> | undefined; readonly fence: WriteFigures }> {
    await Promise.all(this.#writers.map((writer) => writer.stop()));
    const fence = await this.#election.stop();
    await this.checkpoint();
    const lists = await Promise.all(this.#fleet.servers.map((server) => this.#finalList(server)));
    // A list that no server answered says nothing about what was lost.
    const answered = lists.flatMap((list, at) => (list ? [{ list, name: `the last list of server ${at + 1}` }] : []));
    if (answered.length === 0) return { final: undefined, fence };
    const final = answered.map(({ list }) => list).reduce((newest, list) => (greatest(list) > greatest(newest) ? list : newest));
    for (const { name, list } of answered) this.violations.push(...wrongPicture(name, this.#recorder.now(), list, final));
    await sleep(2_000);
    for (const { name, picture } of this.#watchers.values()) {
      this.violations.push(...wrongPicture(name, this.#recorder.now(), picture, final));
    }
    return { final, fence };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.stop()));
    await Promise.all([...this.#watchers.values()].map((watcher) => watcher.stop()));
    await Promise.all(this.#probes.map((probe) => probe.stop()));
    await this.#election.stop();
  }

  /** The id of a write that this server accepted; undefined if it accepted none in time. */
  async #write(server: FleetServer): Promise<{ readonly key: string; readonly id: string } | undefined> {
    const until = performance.now() + RECOVERS_WITHIN_MS;
    while (performance.now() < until) {
      const record = await this.#checkpoints.get(server)?.writeOnce(checkpointKey(server));
      if (record?.outcome === 'acknowledged') return record;
      await sleep(200);
    }
    this.#found('not recovered', `server ${server.index} took no write for ${RECOVERS_WITHIN_MS / 1000} s after the database was in order`);
    return undefined;
  }

  async #isBehind(server: FleetServer, written: readonly ({ readonly key: string; readonly id: string } | undefined)[]): Promise<boolean> {
    const watcher = this.#watchers.get(server);
    const waits = written.flatMap((each) => (each && watcher ? [watcher.sees(each.key, each.id, SEES_WITHIN_MS)] : []));
    const results = await Promise.allSettled(waits);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) this.#found('not recovered', (failed.reason as Error).message);
    return failed !== undefined;
  }

  async #finalList(server: FleetServer): Promise<ReadonlyMap<string, Sighting> | undefined> {
    const until = performance.now() + RECOVERS_WITHIN_MS;
    while (performance.now() < until) {
      const { status, text } = await server.client.list();
      if (status === 200) return sightingsOf(JSON.parse(text) as LeaseList);
      await sleep(500);
    }
    this.#found('not recovered', `server ${server.index} answered no list at the end`);
    return undefined;
  }

  #found(kind: string, text: string): void {
    this.violations.push({ kind, at: this.#recorder.now(), text });
  }
}

function checkpointKey(server: FleetServer): string {
  return `checkpoint-${server.index}`;
}

function checkpointWriter(server: FleetServer, recorder: Recorder): Writer {
  const key = checkpointKey(server);
  return new Writer({
    name: `c${server.index}`,
    clients: [server.client],
    keys: [key],
    owns: false,
    pauseMs: 0,
    random: new Random(0),
    recorder,
  });
}

function greatest(list: ReadonlyMap<string, Sighting>): number {
  return Math.max(0, ...[...list.values()].map(({ revision }) => revision));
}
