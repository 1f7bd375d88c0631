import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { buildGoProgram } from '../../clients/go-programs.js';
import { Contestant } from '../../clients/race/contestant.js';
import { electProgram } from '../../clients/race/elect-program.js';
import type { Launch } from '../../clients/race/kinds.js';
import { type WriteFigures, RecipeTable } from '../../clients/race/recipe-table.js';
import type { Reign } from '../../clients/race/reigns-of.js';
import { programPath } from '../cluster/find-programs.js';
import type { FleetServer } from '../fleet.js';
import { ELECTION, ELECTION_TIMES } from './election-times.js';
import type { Recorder } from './recorder.js';

/** client-go and this project's elector compete for one lease through all servers, and write to a fenced table outside of the cluster. */
export class Election {
  readonly #candidates: readonly Contestant[];
  readonly #table: RecipeTable;
  readonly #recorder: Recorder;
  readonly #writers = new Map<string, Promise<void>>();
  #stopped = false;
  #figures: Promise<WriteFigures> | undefined;
  #done: Promise<void> = Promise.resolve();

  private constructor(candidates: readonly Contestant[], table: RecipeTable, recorder: Recorder) {
    this.#candidates = candidates;
    this.#table = table;
    this.#recorder = recorder;
  }

  static async start(servers: readonly FleetServer[], fenceUrl: string, recorder: Recorder): Promise<Election> {
    const table = new RecipeTable(fenceUrl);
    await table.create();
    const go = programPath('go') !== undefined;
    const candidates: Contestant[] = [];
    for (const [place, server] of servers.entries()) {
      const kind = go && place % 2 === 0 ? 'go' : 'typescript';
      candidates.push(new Contestant(kind, place + 1, await launcher(kind, server, fenceUrl)));
    }
    const election = new Election(candidates, table, recorder);
    election.#done = election.#follow();
    return election;
  }

  /** All so far, with times of the recorder; client-go's have the token that the lease shows. */
  get reigns(): readonly Reign[] {
    return this.#candidates.flatMap(({ reigns }) =>
      reigns.map(({ from, until, token, ...reign }) => {
        const times = { from: this.#recorder.timeOf(from), until: this.#recorder.timeOf(until) };
        return { ...reign, ...times, token: token ?? this.#recorder.firstRevisionOf(reign.holder) };
      }),
    );
  }

  /** Kills the leader; resolves when another candidate leads, or after the time limit. */
  async handOver(withinMs = 12_000): Promise<void> {
    const leader = this.#candidates.find(({ leadsAs }) => leadsAs !== undefined);
    if (!leader) return;
    const holder = leader.leadsAs;
    await leader.kill();
    const until = performance.now() + withinMs;
    const handedOver = () => this.#candidates.some(({ leadsAs }) => leadsAs !== undefined && leadsAs !== holder);
    while (!handedOver() && performance.now() < until) await sleep(20);
  }

  /** Ends everything; returns the same figures when called again. */
  stop(): Promise<WriteFigures> {
    return (this.#figures ??= this.#end());
  }

  async #end(): Promise<WriteFigures> {
    this.#stopped = true;
    await this.#done;
    await Promise.all(this.#candidates.map((candidate) => candidate.kill()));
    await Promise.all(this.#writers.values());
    const figures = await this.#table.figures();
    await this.#table.close();
    return figures;
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      for (const candidate of this.#candidates) {
        const { kind, leadsAs } = candidate;
        if (kind === 'go' && leadsAs !== undefined && !this.#writers.has(leadsAs)) {
          this.#writers.set(leadsAs, this.#writeFor(candidate, leadsAs));
        }
        // client-go's ends when it loses
        if (candidate.ended !== undefined) candidate.start();
      }
      await sleep(20);
    }
  }

  /** client-go has no token: this writes on its behalf with a token read from the lease, and once more after its term. */
  async #writeFor(candidate: Contestant, holder: string): Promise<void> {
    let token: bigint | undefined;
    while (!this.#stopped && candidate.leadsAs === holder) {
      token ??= this.#recorder.firstRevisionOf(holder);
      if (token !== undefined) await this.#table.write(ELECTION, token, holder);
      await sleep(100);
    }
    if (token !== undefined) await this.#table.write(ELECTION, token, holder);
  }
}

async function launcher(kind: 'go' | 'typescript', { running, port, dataDir }: FleetServer, fenceUrl: string): Promise<Launch> {
  const { lease, renew, retry } = ELECTION_TIMES;
  if (kind === 'go') {
    const binary = await buildGoProgram('elect');
    const kubeconfig = path.join(dataDir, 'election.kubeconfig');
    await writeFile(kubeconfig, await readFile(path.join(dataDir, 'admin.kubeconfig'), 'utf8'), { mode: 0o600 });
    const times = [`--lease-duration=${lease}s`, `--renew-deadline=${renew}s`, `--retry-period=${retry}s`];
    return (identity) => [binary, `--kubeconfig=${kubeconfig}`, `--name=${ELECTION}`, `--identity=${identity}`, ...times];
  }
  const { token, caFile } = await apiAccess(running);
  return electProgram({
    ...{ server: `https://127.0.0.1:${port}`, token, 'ca-file': caFile, database: fenceUrl, name: ELECTION },
    ...{ 'lease-duration': lease * 1000, 'renew-deadline': renew * 1000, 'retry-period': retry * 1000 },
  });
}
