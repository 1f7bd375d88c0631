import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { typescriptProgram } from '../../../packages/leader-election/test/torture/contestant.js';
import { type WriteFigures, FencedTable } from '../../../packages/leader-election/test/torture/fenced-table.js';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { ClientProcess } from '../../clients/client-process.js';
import { buildGoProgram } from '../../clients/go-programs.js';
import { programPath } from '../cluster/find-programs.js';
import type { FleetServer } from '../fleet.js';
import type { Reign } from '../history.js';
import { ELECTION, ELECTION_TIMES } from './election-times.js';
import type { Recorder } from './recorder.js';

type Kind = 'go' | 'typescript';

/** A program that campaigns through one server. client-go's ends when it loses, and is restarted under a new name. */
class Candidate {
  readonly kind: Kind;
  readonly #place: number;
  readonly #launch: (identity: string) => readonly [string, ...string[]];
  #process: ClientProcess | undefined;
  #generation = 0;
  #read = 0;

  constructor(kind: Kind, place: number, launch: (identity: string) => readonly [string, ...string[]]) {
    this.kind = kind;
    this.#place = place;
    this.#launch = launch;
  }

  get identity(): string {
    return `${this.kind}-${this.#place}.${this.#generation}`;
  }

  get ended(): boolean {
    return this.#process?.ended !== undefined;
  }

  start(): void {
    this.#generation++;
    this.#read = 0;
    const [command, ...args] = this.#launch(this.identity);
    this.#process = new ClientProcess(command, args);
  }

  /** Lines printed since the last call. */
  newLines(): readonly string[] {
    const lines = this.#process?.lines.slice(this.#read) ?? [];
    this.#read += lines.length;
    return lines;
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }
}

/** client-go and this project's elector compete for one lease through all servers, and write to a fenced table outside of the cluster. */
export class Election {
  readonly reigns: Reign[] = [];
  readonly #candidates: readonly Candidate[];
  readonly #table: FencedTable;
  readonly #recorder: Recorder;
  readonly #open = new Map<Candidate, { readonly holder: string; readonly from: number; readonly token: number | undefined }>();
  readonly #writers: Promise<void>[] = [];
  #stopped = false;
  #figures: Promise<WriteFigures> | undefined;
  #done: Promise<void> = Promise.resolve();

  private constructor(candidates: readonly Candidate[], table: FencedTable, recorder: Recorder) {
    this.#candidates = candidates;
    this.#table = table;
    this.#recorder = recorder;
  }

  static async start(servers: readonly FleetServer[], fenceUrl: string, recorder: Recorder): Promise<Election> {
    const table = new FencedTable(fenceUrl);
    await table.create();
    const go = programPath('go') !== undefined;
    const candidates: Candidate[] = [];
    for (const [place, server] of servers.entries()) {
      const kind = go && place % 2 === 0 ? 'go' : 'typescript';
      candidates.push(new Candidate(kind, place + 1, await launcher(kind, server, fenceUrl)));
    }
    const election = new Election(candidates, table, recorder);
    for (const candidate of candidates) candidate.start();
    election.#done = election.#follow();
    return election;
  }

  /** Kills the leader; resolves when another candidate leads, or after the time limit. */
  async handOver(withinMs = 12_000): Promise<void> {
    const [leading] = this.#open;
    if (!leading) return;
    const [candidate, { holder }] = leading;
    await candidate.kill();
    const until = performance.now() + withinMs;
    const handedOver = () => [...this.#open.values()].some((reign) => reign.holder !== holder);
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
    for (const candidate of this.#candidates) this.#close(candidate, 'running');
    await Promise.all(this.#writers);
    const figures = await this.#table.figures();
    await this.#table.close();
    return figures;
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      for (const candidate of this.#candidates) {
        for (const line of candidate.newLines()) this.#take(candidate, line);
        if (!candidate.ended) continue;
        this.#close(candidate, 'killed');
        candidate.start();
      }
      await sleep(20);
    }
  }

  #take(candidate: Candidate, line: string): void {
    const [word, holder = '', token] = line.split(' ');
    if (word === 'lost') this.#close(candidate, 'lost');
    if (word !== 'leading') return;
    this.#open.set(candidate, { holder, from: this.#recorder.now(), token: token === undefined ? undefined : Number(token) });
    if (candidate.kind === 'go') this.#writers.push(this.#writeFor(candidate, holder));
  }

  #close(candidate: Candidate, ended: Reign['ended']): void {
    const reign = this.#open.get(candidate);
    this.#open.delete(candidate);
    if (!reign) return;
    const token = reign.token ?? this.#recorder.firstRevisionOf(reign.holder);
    this.reigns.push({ ...reign, token, until: this.#recorder.now(), ended });
  }

  /** client-go has no token: this writes on its behalf with a token read from the lease, and once more after its term. */
  async #writeFor(candidate: Candidate, holder: string): Promise<void> {
    let token: number | undefined;
    while (!this.#stopped && this.#open.get(candidate)?.holder === holder) {
      token ??= this.#recorder.firstRevisionOf(holder);
      if (token !== undefined) await this.#table.write(BigInt(token), holder);
      await sleep(100);
    }
    if (token !== undefined) await this.#table.write(BigInt(token), holder);
  }
}

async function launcher(
  kind: Kind,
  { running, port, dataDir }: FleetServer,
  fenceUrl: string,
): Promise<(identity: string) => readonly [string, ...string[]]> {
  const { lease, renew, retry } = ELECTION_TIMES;
  if (kind === 'go') {
    const binary = await buildGoProgram('elect');
    const kubeconfig = path.join(dataDir, 'election.kubeconfig');
    await writeFile(kubeconfig, await readFile(path.join(dataDir, 'admin.kubeconfig'), 'utf8'), { mode: 0o600 });
    const times = [`--lease-duration=${lease}s`, `--renew-deadline=${renew}s`, `--retry-period=${retry}s`];
    return (identity) => [binary, `--kubeconfig=${kubeconfig}`, `--name=${ELECTION}`, `--identity=${identity}`, ...times];
  }
  const { token, caFile } = await apiAccess(running);
  const where = [`--server=https://127.0.0.1:${port}`, `--token=${token}`, `--ca-file=${caFile}`, `--database=${fenceUrl}`];
  const times = [`--lease-duration=${lease * 1000}`, `--renew-deadline=${renew * 1000}`, `--retry-period=${retry * 1000}`];
  return (identity) => [...typescriptProgram('elect.ts'), ...where, `--name=${ELECTION}`, `--identity=${identity}`, ...times];
}
