import type { AttackResult } from './attack-result.js';
import type { LatencyFigures } from './innocent/victim-figures.js';

const HEADER = [
  'attack',
  'bytes sent',
  'connections',
  'CPU s',
  'us/byte',
  'MiB before',
  'peak',
  'end',
  'later',
  'idle p50/p99/max ms',
  'victim p50/p99/max ms',
  'errors',
  'newcomers refused',
  'longest gap ms',
  'leases lost',
  'server',
];

/** A Markdown row for each attack, followed by failures and the attacks' notes. */
export function attackTable(results: readonly AttackResult[]): string {
  const rows = [HEADER, HEADER.map((_, at) => (at === 0 ? '---' : '--:')), ...results.map(rowOf)];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const remarks = results.map((result) => remarksOf(result)).filter((text) => text !== '');
  return [table, ...remarks].join('\n\n') + '\n';
}

function rowOf({ memory, cpuSeconds, cpuMicrosPerByte, victim, ...result }: AttackResult): string[] {
  const mib = (value: number | undefined) => (value === undefined ? '' : String(Math.round(value)));
  return [
    result.attack,
    String(result.bytesSent),
    String(result.connections),
    cpuSeconds?.toFixed(2) ?? '',
    cpuMicrosPerByte?.toPrecision(2) ?? '',
    mib(memory?.before),
    mib(memory?.peak),
    mib(memory?.end),
    mib(memory?.later),
    timesOf(result.baseline),
    timesOf(victim.requests),
    String(victim.requests.errors),
    `${victim.newcomers.errors} of ${victim.newcomers.count}`,
    String(victim.longestGapMs),
    String(result.leasesLost),
    result.death === undefined ? 'lives' : 'dead',
  ];
}

function timesOf({ p50, p99, max }: LatencyFigures): string {
  return [p50, p99, max].join(' / ');
}

function remarksOf({ attack, failures, notes, watches, logBytes, victim }: AttackResult): string {
  const lines = [
    ...failures.map((failure) => `FAILED: ${failure}`),
    ...Object.entries(notes).map(([name, value]) => `${name}: ${value}`),
    ...(logBytes === undefined || logBytes < 1000 ? [] : [`bytes of log: ${logBytes}`]),
    ...(watches?.end === undefined && watches?.later === undefined
      ? []
      : [`watches open: ${watches.end ?? '?'} at the end, ${watches.later ?? '?'} later`]),
    ...victim.errors.slice(0, 3).map((error) => `the innocent client was told: ${error.replaceAll('\n', ' ')}`),
  ];
  return lines.length === 0 ? '' : [`${attack}:`, ...lines.map((line) => `- ${line}`)].join('\n');
}
