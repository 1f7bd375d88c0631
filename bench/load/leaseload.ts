import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figures } from '../measure/figures.js';
import { type ListLoad, type LoadGenerator, type RenewLoad, type Target, type WatchLoad, DEFAULT_CONNECTIONS } from './generator.js';

const run = promisify(execFile);

type Output = Readonly<Record<string, number | string>>;

/** The load generator in Go, a separate process that takes a fraction of the CPU that one in JavaScript would take from the server. */
export class Leaseload implements LoadGenerator {
  readonly name = 'leaseload';
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  async renew(target: Target, load: RenewLoad): Promise<Figures> {
    const out = await this.#run('renew', target, renewFlags(load));
    return { 'renewals/s': figure(out, 'renew_per_s'), ...latency(out, 'renew'), errors: figure(out, 'errors') };
  }

  async watch(target: Target, load: WatchLoad): Promise<Figures> {
    const out = await this.#run('watch', target, [...renewFlags(load), `-watchers=${load.watchers}`]);
    return {
      'events/s': figure(out, 'event_per_s'),
      ...latency(out, 'event'),
      'renewals/s': figure(out, 'renew_per_s'),
      late: figure(out, 'events_missing'),
      errors: figure(out, 'errors'),
    };
  }

  async list(target: Target, load: ListLoad): Promise<Figures> {
    const out = await this.#run('list', target, listFlags(load));
    const unit = load.limit === 0 ? 'lists/s' : 'pages/s';
    return { [unit]: figure(out, 'list_per_s'), ...latency(out, 'list'), 'MB/s': figure(out, 'MB_per_s'), errors: figure(out, 'errors') };
  }

  async #run(mode: string, { url, token, namespace, http1 }: Target, flags: readonly string[]): Promise<Output> {
    const common = [mode, '-json', `-target=${url}`, `-token=${token}`, `-namespace=${namespace}`, `-http1=${http1 ?? false}`];
    const { stdout } = await run(this.#program, [...common, ...flags]);
    const out = JSON.parse(stdout) as Output;
    if (out['first_error'] !== undefined) console.error(`leaseload ${mode}: ${out['first_error']}`);
    return out;
  }
}

function renewFlags({ clients, everySeconds, seconds, connections = DEFAULT_CONNECTIONS }: RenewLoad): string[] {
  const pace = everySeconds === undefined ? [] : [`-every=${everySeconds}s`];
  return [`-clients=${clients}`, `-conns=${connections}`, `-duration=${seconds}s`, ...pace];
}

function listFlags({ objects, clients, limit, query, seconds }: ListLoad): string[] {
  const rest = query === undefined ? [] : [`-list=${query}`];
  return [`-objects=${objects}`, `-clients=${clients}`, `-limit=${limit}`, `-duration=${seconds}s`, ...rest];
}

function latency(out: Output, prefix: string): Figures {
  return { 'p50 ms': figure(out, `${prefix}_ms_p50`), 'p99 ms': figure(out, `${prefix}_ms_p99`) };
}

function figure(out: Output, name: string): number {
  const value = out[name];
  if (typeof value !== 'number') throw new Error(`leaseload tells no ${name}`);
  return value;
}
