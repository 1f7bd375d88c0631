import { parseArgs } from 'node:util';
import { ALL_ATTACKS } from './all-attacks.js';
import type { Attack } from './attack-definition.js';

export interface AttackOptions {
  readonly attacks: readonly Attack[];
  /** Duration of each attack, or of each group of attacks that run together. */
  readonly seconds: number;
  readonly together: number;
  readonly seed: number;
  /** How long the innocent clients are measured alone before an attack. */
  readonly baselineSeconds: number;
  /** Time between the end of an attack and the last memory measurement. */
  readonly settleSeconds: number;
  readonly memoryMiB: number;
  /** Directory of a cgroup, whose limits the server gets. */
  readonly cgroup: string | undefined;
  readonly maxP99Ms: number;
  readonly maxRssMiB: number;
  /** Whether every attack gets a new server. */
  readonly fresh: boolean;
  readonly election: boolean;
  readonly build: string;
  readonly flags: readonly string[];
  readonly target: string | undefined;
  readonly targetPid: number | undefined;
  /** Results are written to this file and to one next to it with the other extension: .json and .md. */
  readonly out: string | undefined;
  readonly list: boolean;
  readonly tokens: boolean;
}

export const USAGE = `npm run program attack -- [options]
  --only=NAMES         attacks to run, separated by commas (default: all; --list shows them)
  --seconds=60         duration of each attack
  --together=1         attacks that run at the same time, in groups drawn by the seed
  --seed=N             makes the same choices again
  --baseline=5         seconds before each attack in which the innocents are measured alone
  --settle=60          seconds after each attack before memory is read once more
  --fresh              starts a new server for every attack
  --memory=512         MiB that the server may take before it is killed; 0 sets no limit
  --cgroup=DIR         a cgroup that the server joins, whose limits it gets
  --max-p99=100        milliseconds of the innocent client's p99 beyond which an attack counts as a failure; 0 sets no bound
  --max-rss=0          MiB at the end of an attack beyond which it counts as a failure; 0 sets no bound
  --no-election        leaves out the holder of client-go's leader election
  --build=DIR          a checkout whose built server is attacked (default: this one)
  --flags="--a=b ..."  further flags of the server
  --target=URL         attacks a server that runs already, with the users of --tokens
  --target-pid=PID     its process, whose CPU and memory are measured
  --out=FILE           also writes FILE.json and FILE.md
  --list, --tokens     prints the attacks, or the token file that an external server needs, and ends
`;

type NumberOption = 'seconds' | 'together' | 'seed' | 'baseline' | 'settle' | 'memory' | 'max-p99' | 'max-rss';

/** Throws on invalid options, with a message for the command line. */
export function attackOptions(args: readonly string[]): AttackOptions {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      together: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      baseline: { type: 'string', default: '5' },
      settle: { type: 'string', default: '60' },
      memory: { type: 'string', default: '512' },
      cgroup: { type: 'string' },
      'max-p99': { type: 'string' },
      'max-rss': { type: 'string', default: '0' },
      fresh: { type: 'boolean', default: false },
      election: { type: 'boolean', default: true },
      build: { type: 'string', default: '.' },
      flags: { type: 'string', default: '' },
      target: { type: 'string' },
      'target-pid': { type: 'string' },
      out: { type: 'string' },
      list: { type: 'boolean', default: false },
      tokens: { type: 'boolean', default: false },
    },
  });
  const number = (name: NumberOption, preset = '0') => numberOf(name, values[name] ?? preset);
  const together = Math.max(1, number('together'));
  const { target, out, fresh, election, build, list, tokens, cgroup } = values;
  if (target !== undefined) checkLoopback(target);
  return {
    attacks: attacksOf(values.only),
    seconds: number('seconds'),
    together,
    seed: number('seed'),
    baselineSeconds: number('baseline'),
    settleSeconds: number('settle'),
    memoryMiB: number('memory'),
    // Several attacks at a time may use all CPUs; then only the leases are judged.
    maxP99Ms: number('max-p99', together > 1 ? '0' : '100'),
    maxRssMiB: number('max-rss'),
    flags: values.flags.split(' ').filter((flag) => flag !== ''),
    targetPid: values['target-pid'] === undefined ? undefined : numberOf('target-pid', values['target-pid']),
    ...{ target, out, fresh, election, build, list, tokens, cgroup },
  };
}

function numberOf(name: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new Error(`--${name}: ${value} is not a whole number`);
  return Number(value);
}

/** The attacks are meant for one's own server on this machine. */
function checkLoopback(target: string): void {
  const { protocol, hostname } = new URL(target);
  if (protocol !== 'https:' || (hostname !== '127.0.0.1' && hostname !== 'localhost')) {
    throw new Error(`--target: ${target} is not https on 127.0.0.1`);
  }
}

function attacksOf(only: string | undefined): readonly Attack[] {
  if (only === undefined) return ALL_ATTACKS;
  return only.split(',').map((name) => {
    const attack = ALL_ATTACKS.find((each) => each.name === name);
    if (!attack) throw new Error(`--only: no attack is called ${name}; --list shows them`);
    return attack;
  });
}
