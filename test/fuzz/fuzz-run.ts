import { setTimeout as sleep } from 'node:timers/promises';
import { startServerProcess } from '../support/server-process.js';
import { ApiClient } from './api-client.js';
import { type Sent, Lane } from './lane.js';
import { Random } from './random.js';
import { type Attack, ATTACKS } from './raw-attacks.js';
import { RequestGenerator } from './request-generator.js';
import { errorLines, MemoryWatch } from './server-health.js';

const LANES = 12;
const PROBE_CHANCE = 0.15;
const SAMPLES = 60;
/** Limits the number of samples in short runs, so that they do not take most of the time. */
const MIN_BETWEEN_SAMPLES = 150;

export interface FuzzOptions {
  readonly seed: number;
  /** The range of request numbers: from `from`, up to but excluding `to`. */
  readonly from: number;
  readonly to: number;
  /** Probes every write, one request at a time: for examining a single one. */
  readonly careful?: boolean;
  readonly onSent?: (index: number, sent: Sent) => void;
  readonly onProgress?: (text: string) => void;
}

export interface Finding {
  /** Number of the request, or name of the attack. */
  readonly where: number | string;
  readonly what: string;
}

export interface FuzzReport {
  readonly findings: readonly Finding[];
  readonly requests: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Resident MiB of the server during the run. */
  readonly memory: readonly number[];
}

/** Starts a server on a new database, sends it the requests of a seed, and reports violations. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const server = await startServerProcess({ tokens: ['fuzz-token,fuzz,fuzz,"system:masters"'] });
  const run = new FuzzRun(options, server.url, server.pid);
  const began = Date.now();
  try {
    await run.send();
    await run.checkReady();
  } catch (error) {
    run.add('end', `the server does not answer: ${(error as Error).message}`);
  } finally {
    run.close();
  }
  const seconds = (Date.now() - began) / 1000;
  await server.stop();
  if (server.exitCode() !== 0) run.add('end', `SIGTERM ended the server with ${String(server.exitCode())}`);
  for (const line of errorLines(server.output())) run.add('log', line);
  return { ...run.report(), seconds };
}

class FuzzRun {
  readonly #options: FuzzOptions;
  readonly #generator: RequestGenerator;
  readonly #client: ApiClient;
  readonly #memory: MemoryWatch;
  readonly #url: string;
  readonly #findings: Finding[] = [];
  readonly #statuses = new Map<string, number>();
  #next: number;

  constructor(options: FuzzOptions, url: string, pid: number) {
    this.#options = options;
    this.#generator = new RequestGenerator(options.seed);
    this.#client = new ApiClient(url);
    this.#memory = new MemoryWatch(pid);
    this.#url = url;
    this.#next = options.from;
  }

  add(where: number | string, what: string): void {
    this.#findings.push({ where, what });
    this.#options.onProgress?.(`FOUND at ${where}: ${what}`);
  }

  async send(): Promise<void> {
    const lanes = Array.from({ length: this.#options.careful ? 1 : LANES }, (_, id) => new Lane(id, this.#url, this.#client));
    await Promise.all(lanes.map((lane) => this.#drive(lane)));
    this.#memory.sample();
    for (const lane of lanes) lane.close();
  }

  async #drive(lane: Lane): Promise<void> {
    const { from, to, seed, careful } = this.#options;
    const part = Math.max(MIN_BETWEEN_SAMPLES, Math.ceil((to - from) / SAMPLES));
    while (this.#next < to) {
      const index = this.#next++;
      if ((index - from) % part === 0) await this.#pause(index);
      const probe = careful === true || new Random(seed ^ 0x5bd1e995, index).chance(PROBE_CHANCE);
      const sent = await lane.send(this.#generator.make(index), probe);
      this.#count(sent);
      this.#options.onSent?.(index, sent);
      for (const violation of sent.violations) this.add(index, `${sent.request.method} ${sent.request.target.slice(0, 200)}: ${violation}`);
    }
  }

  /** At intervals: samples memory, makes a few hostile connections, and checks that other clients are still served. */
  async #pause(index: number): Promise<void> {
    this.#memory.sample();
    this.#options.onProgress?.(`${index} of ${this.#options.to}, ${this.#memory.samples.at(-1)} MiB`);
    if (this.#options.careful) return;
    const random = new Random(this.#options.seed, -1 - index);
    const names = Object.keys(ATTACKS);
    const attacks = Array.from({ length: 4 }, () => random.pick(names));
    await Promise.all(attacks.map((name) => this.#attack(name, ATTACKS[name], random)));
    await this.checkReady();
  }

  async #attack(name: string, attack: Attack | undefined, random: Random): Promise<void> {
    const violation = await attack?.(Number(new URL(this.#url).port), random);
    if (violation !== undefined) this.add(name, violation);
  }

  async checkReady(): Promise<void> {
    const { status, text } = await this.#client.ask('GET', '/readyz');
    if (status !== 200 || text !== 'ok') this.add('readyz', `${status} ${text}`);
    await sleep(0);
  }

  #count({ answer }: Sent): void {
    const key = 'failure' in answer ? answer.failure.split(':')[0]! : String(answer.status);
    this.#statuses.set(key, (this.#statuses.get(key) ?? 0) + 1);
  }

  close(): void {
    this.#client.close();
    const grown = this.#memory.violation();
    if (grown !== undefined) this.add('memory', grown);
  }

  report(): Omit<FuzzReport, 'seconds'> {
    const statuses = Object.fromEntries([...this.#statuses].sort());
    return { findings: this.#findings, requests: this.#next - this.#options.from, statuses, memory: this.#memory.samples };
  }
}
