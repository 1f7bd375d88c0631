import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { eventually } from '../support/eventually.js';
import { Random } from '../fuzz/random.js';
import { Recorder } from './clients/recorder.js';
import type { DatabaseCluster } from './cluster/database-cluster.js';
import type { DatabaseNode } from './cluster/database-node.js';
import { killAllIn } from './cluster/processes.js';
import { DATABASE_FAULTS } from './faults/database-faults.js';
import type { Fault } from './faults/fault.js';
import { SERVER_FAULTS } from './faults/server-faults.js';
import { Fleet } from './fleet.js';
import { PrimaryAddress } from './primary-address.js';
import { type Evidence, type Report, type Round, failoverReport } from './report.js';
import { Workload } from './workload.js';

export interface FailoverOptions {
  readonly synchronous: boolean;
  readonly failovers: number;
  readonly seed: number;
  readonly secondsBetween: number;
  /** Part of the names of faults; only these happen. */
  readonly only: string | undefined;
  readonly keep: boolean;
  /** Creates the cluster in a directory. */
  cluster(dir: string): Promise<DatabaseCluster>;
  onRound(round: Round, healthyAfterMs: number): void;
}

const SERVERS = 3;
const HEALS_WITHIN_MS = 180_000;
/** After this time, nodes that do not follow are recreated: a node may be in a state that its manager does not repair. */
const REBUILD_AFTER_MS = 40_000;
const ROUNDS_BEFORE_REBUILD = 5;

type Final = Pick<Evidence, 'final' | 'fence'>;

const NOTHING_FINAL: Final = { final: undefined, fence: { accepted: 0, refused: 0, staleAccepted: 0 } };

interface RoundParts {
  readonly cluster: DatabaseCluster;
  readonly workload: Workload;
  /** The primary at the beginning of the round. */
  readonly primary: DatabaseNode;
}

/** One run: a cluster, servers, clients, faults until there were enough failovers, and a report. */
export class FailoverRun {
  readonly dir: string;
  readonly rounds: Round[] = [];
  readonly #options: FailoverOptions;
  readonly #recorder = new Recorder();
  readonly #random: Random;
  /** Everything that must be stopped, newest last. */
  readonly #parts: (() => Promise<void>)[] = [];
  #fleet: Fleet | undefined;
  #notes: string[] = [];
  /** Whether another node has become the primary in this round. */
  #replaced = false;
  /** Consecutive rounds that ended with a standby that did not follow. */
  #incomplete = 0;
  #finishing = false;
  #cutNow: () => void = () => undefined;
  readonly #cut = new Promise<void>((resolve) => (this.#cutNow = resolve));
  #stopping: Promise<void> | undefined;

  constructor(options: FailoverOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.dir = mkdtempSync(path.join(tmpdir(), 'coordination-failover-'));
    chmodSync(this.dir, 0o711);
  }

  async run(): Promise<Report> {
    try {
      const cluster = await this.#options.cluster(this.dir);
      this.#parts.push(() => cluster.stop());
      await cluster.start();
      const workload = await this.#startClients(cluster);
      await Promise.race([this.#allRounds(cluster, workload), this.#cut]);
      const { final, fence } = await Promise.race([this.#finish(cluster, workload), this.#cut.then(() => NOTHING_FINAL)]);
      const { seed, synchronous } = this.#options;
      const { violations, reigns } = workload;
      return failoverReport({ seed, synchronous, rounds: this.rounds, recorder: this.#recorder, reigns, final, fence, violations });
    } finally {
      await this.stop();
    }
  }

  /** A cluster that stays broken ends the run early; the observations so far are judged nevertheless. */
  async #allRounds(cluster: DatabaseCluster, workload: Workload): Promise<void> {
    try {
      while (!this.#finishing && this.#failovers < this.#options.failovers) await this.#round(cluster, workload);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      workload.violations.push({ kind: 'run cut short', at: this.#recorder.now(), text });
    }
  }

  /** Without a primary the servers cannot show their data: that is a violation, and the rest is judged. */
  async #finish(cluster: DatabaseCluster, workload: Workload): Promise<Final> {
    try {
      await this.#primary(cluster);
      return await workload.finish();
    } catch (error) {
      const text = `no final state: ${error instanceof Error ? error.message : String(error)}`;
      workload.violations.push({ kind: 'run cut short', at: this.#recorder.now(), text });
      return NOTHING_FINAL;
    }
  }

  get #failovers(): number {
    return this.rounds.filter(({ failedOver }) => failedOver).length;
  }

  /** Starts no further round and judges the observations so far. */
  finish(): void {
    this.#finishing = true;
  }

  /** Makes `run` resolve immediately, with what can be judged in the middle of a round. */
  cutShort(): void {
    this.#cutNow();
  }

  /** Stops everything and removes all created files, whatever the state of the run. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    for (const end of this.#parts.reverse()) await end().catch((error: unknown) => console.error(error));
    await killAllIn(this.dir);
    if (this.#options.keep) this.#saveLogs();
    else rmSync(this.dir, { recursive: true, force: true });
  }

  async #startClients(cluster: DatabaseCluster): Promise<Workload> {
    const dir = path.join(this.dir, 'fence');
    const fence = new EmbeddedPostgres({ dir, settings: { fsync: 'off' }, syncInit: false });
    await fence.start();
    this.#parts.push(() => fence.stop());
    const fleet = await Fleet.start(cluster, SERVERS, this.dir);
    this.#fleet = fleet;
    this.#parts.push(() => fleet.stop());
    const probe = await PrimaryAddress.start(cluster);
    this.#parts.push(() => probe.stop());
    await eventually(
      () => probe.node,
      () => 'there is no primary',
      30_000,
    );
    const { seed } = this.#options;
    const { nodes } = cluster;
    const workload = await Workload.start({ fleet, recorder: this.#recorder, seed, fenceUrl: fence.url(), probeUrl: probe.url, nodes });
    this.#parts.push(() => workload.stop());
    await workload.checkpoint();
    return workload;
  }

  async #round(cluster: DatabaseCluster, workload: Workload): Promise<void> {
    const primary = await this.#primary(cluster);
    const faults = this.#pickFaults(cluster);
    const from = this.#recorder.now();
    this.#notes = [];
    this.#replaced = false;
    const applied = await Promise.allSettled(faults.map((fault) => this.#apply(fault, { cluster, workload, primary })));
    const failed = applied.find((result) => result.status === 'rejected');
    if (failed) this.#heal(cluster);
    await this.#healed(cluster);
    if (failed) throw failed.reason;
    const healthyAfterMs = this.#recorder.now() - from;
    const failedOver = (await this.#primary(cluster)) !== primary || this.#replaced;
    await workload.checkpoint();
    const names = faults.map(({ name }) => name).join(' + ');
    const round = { number: this.rounds.length + 1, faults: `${names}${this.#noted}`, from, until: this.#recorder.now(), failedOver };
    this.rounds.push(round);
    this.#options.onRound(round, healthyAfterMs);
    await sleep(this.#options.secondsBetween * 1000);
  }

  get #noted(): string {
    return this.#notes.length === 0 ? '' : `: ${this.#notes.join(', ')}`;
  }

  /** Mostly a fault that changes the primary; sometimes one of a server in addition, or alone. */
  #pickFaults(cluster: DatabaseCluster): Fault[] {
    const random = this.#random;
    const { only, synchronous } = this.#options;
    const possible = (fault: Fault) => (fault.possible?.({ cluster, synchronous }) ?? true) && (!only || fault.name.includes(only));
    const database = DATABASE_FAULTS.filter(possible);
    const servers = SERVER_FAULTS.filter(possible);
    const failingOver = database.filter((fault) => fault.failsOver(cluster));
    const minor = [...servers, ...database.filter((fault) => !fault.failsOver(cluster))];
    if (failingOver.length === 0 || (minor.length > 0 && random.chance(0.1))) return [pickByWeight(random, minor)];
    const main = pickByWeight(random, failingOver);
    return servers.length > 0 && random.chance(0.5) ? [main, pickByWeight(random, servers)] : [main];
  }

  async #apply(fault: Fault, { cluster, workload, primary }: RoundParts): Promise<void> {
    const random = new Random(this.#options.seed, 1_000 + this.rounds.length);
    const note = (text: string) => void this.#notes.push(text);
    const replaced = async (withinMs = 20_000) => {
      const until = performance.now() + withinMs;
      while (performance.now() < until) {
        for (const node of cluster.nodes) if (node !== primary && (await cluster.isPrimary(node))) return (this.#replaced = true);
        await sleep(100);
      }
      note('no failover');
      return false;
    };
    const restored = () => void (this.#replaced = true);
    const { synchronous } = this.#options;
    const servers = this.#fleet?.servers ?? [];
    const handOver = () => workload.handOver();
    await fault.run({ cluster, servers, random, synchronous, primary, replaced, handOver, restored, note });
  }

  /** A fault that failed half-way may have left any state: restores all links, paused and dead processes. */
  #heal(cluster: DatabaseCluster): void {
    for (const node of cluster.nodes) {
      node.heal();
      node.start();
    }
    for (const server of this.#fleet?.servers ?? []) {
      server.signal('SIGCONT');
      server.address.heal();
    }
  }

  #primary(cluster: DatabaseCluster): Promise<DatabaseNode> {
    return eventually(
      async () => {
        for (const node of cluster.nodes) if (await cluster.isPrimary(node)) return node;
        return undefined;
      },
      () => 'there is no primary',
      60_000,
    );
  }

  /** Waits until there is a primary that standbys follow: only then is a failing server at fault itself. */
  async #healed(cluster: DatabaseCluster): Promise<void> {
    const from = performance.now();
    let rebuilt = false;
    let trouble: string | undefined = '';
    await eventually(
      async () => {
        const waited = performance.now() - from;
        trouble = await cluster.trouble(waited < cluster.patienceMs ? undefined : 1);
        if (trouble !== undefined && waited > REBUILD_AFTER_MS && !rebuilt) {
          rebuilt = true;
          await this.#rebuild(cluster);
        }
        if (trouble === undefined) return true;
        await sleep(200);
        return undefined;
      },
      () => `the cluster does not heal: ${trouble}`,
      HEALS_WITHIN_MS,
    );
    this.#incomplete = (await cluster.trouble()) === undefined ? 0 : this.#incomplete + 1;
    if (this.#incomplete > ROUNDS_BEFORE_REBUILD) await this.#rebuild(cluster);
  }

  async #rebuild(cluster: DatabaseCluster): Promise<void> {
    this.#notes.push('standby copied anew');
    this.#incomplete = 0;
    await cluster.rebuild().catch((error: unknown) => this.#notes.push((error as Error).message));
  }

  #saveLogs(): void {
    const dir = path.join(this.dir, 'logs');
    mkdirSync(dir, { recursive: true });
    for (const server of this.#fleet?.servers ?? []) server.saveLog(dir);
    const { writes, reads, watches, readiness } = this.#recorder;
    const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record, plain)).join('\n');
    writeFileSync(path.join(dir, 'writes.jsonl'), lines(writes));
    writeFileSync(path.join(dir, 'reads.jsonl'), lines(reads));
    writeFileSync(path.join(dir, 'readiness.jsonl'), lines(readiness));
    writeFileSync(path.join(dir, 'rounds.jsonl'), lines(this.rounds));
    writeFileSync(path.join(dir, 'primaries.jsonl'), lines(this.#recorder.primaries));
    for (const { name, entries } of watches) writeFileSync(path.join(dir, `${name.replaceAll(' ', '-')}.jsonl`), lines(entries));
  }
}

/** Converts maps to objects. */
function plain(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value;
}

function pickByWeight(random: Random, faults: readonly Fault[]): Fault {
  let left = random.below(faults.reduce((sum, { weight }) => sum + weight, 0));
  const picked = faults.find(({ weight }) => (left -= weight) < 0) ?? faults[0];
  if (!picked) throw new Error('no fault is possible: see --only');
  return picked;
}
