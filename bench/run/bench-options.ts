import { parseArgs } from 'node:util';

/** The parsed command line of a bench. */
export interface BenchOptions {
  readonly scenarios: readonly string[];
  readonly runs: number;
  readonly seconds?: number;
  /** The file for results. */
  readonly json?: string;
  /** The path of the Go generator. */
  readonly leaseload?: string;
  readonly serverFlags: readonly string[];
  /** The folder in which servers write CPU profiles when they end. */
  readonly profile?: string;
  readonly upstream?: string;
  readonly kine: boolean;
}

/** Reads `scenario… --runs=N --seconds=S --json=FILE …`; throws on unknown flags. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      leaseload: { type: 'string' },
      'server-flag': { type: 'string', multiple: true, default: [] },
      profile: { type: 'string' },
      upstream: { type: 'string' },
      kine: { type: 'boolean', default: false },
    },
  });
  return {
    scenarios: positionals,
    runs: positive('runs', values.runs),
    seconds: values.seconds === undefined ? undefined : positive('seconds', values.seconds),
    json: values.json,
    leaseload: values.leaseload ?? process.env['LEASELOAD'],
    serverFlags: values['server-flag'],
    profile: values.profile,
    upstream: values.upstream,
    kine: values.kine,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: ${text} is not a whole number above 0`);
  return value;
}
