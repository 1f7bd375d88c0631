import { numberText } from '../report/number-text.js';
import type { Assumptions, Setting } from './assumptions.js';
import { databaseNeed, limitsOf, replicasFor } from './limits.js';
import { simulate } from './simulate.js';

/** The time from the end of a batch's statement until it is durable. */
export const COMMITS = [
  { ms: 0.05, name: '0.05 ms flush' },
  { ms: 1, name: '1 ms flush' },
  { ms: 2, name: '1 ms flush, 1 ms to a standby' },
  { ms: 5, name: '5 ms flush' },
  { ms: 6, name: '5 ms flush, 1 ms to a standby' },
] as const;

const SECONDS_BETWEEN = 10;
const SIZES = [
  { nodes: 65_000, replicas: [2, 4] },
  { nodes: 130_000, replicas: [4, 8] },
];
const WATCHERS = [2, 10, 50, 200];
const SIMULATED_MS = 5000;
/** The highest sensible mean utilization of a thread. */
const SHARE = 0.7;

export function loadTable(assumed: Assumptions): string {
  const header = [
    'nodes',
    'commit',
    'replicas',
    'p50 ms',
    'p99 ms',
    'batch',
    'of a server',
    'of the counter',
    'PostgreSQL cores',
    'WAL MiB/s',
    'limit/s',
    'by',
  ];
  const rows = SIZES.flatMap(({ nodes, replicas }) =>
    COMMITS.flatMap(({ ms, name }) =>
      replicas.map((count) => {
        const setting: Setting = { rate: nodes / SECONDS_BETWEEN, replicas: count, commit: ms, watchers: 2 };
        return [numberText(nodes), name, ...loadRow(setting, assumed)];
      }),
    ),
  );
  return table(header, rows);
}

function loadRow(setting: Setting, assumed: Assumptions): string[] {
  const { p50, p99, batch, server } = simulate(setting, assumed, SIMULATED_MS);
  const { cores, walMiBPerSecond } = databaseNeed(setting, batch, assumed);
  const limits = limitsOf(setting, assumed);
  const limit = Math.floor(Math.min(limits.servers, limits.counter) / 100) * 100;
  const figures = [setting.replicas, p50, p99, batch].map(numberText);
  return [
    ...figures,
    percent(server),
    percent(setting.rate / limits.counter),
    cores.toFixed(1),
    numberText(walMiBPerSecond),
    numberText(limit),
    limits.first,
  ];
}

/** The required server processes, by nodes and by watches of all leases. */
export function watcherTable(assumed: Assumptions): string {
  const header = ['watches of all leases', ...SIZES.flatMap(({ nodes }) => [`events/s, ${numberText(nodes)} nodes`, 'replicas'])];
  const rows = WATCHERS.map((watchers) => [
    numberText(watchers),
    ...SIZES.flatMap(({ nodes }) => {
      const rate = nodes / SECONDS_BETWEEN;
      const replicas = replicasFor(rate, watchers, SHARE, assumed);
      return [numberText(rate * watchers), replicas === undefined ? 'too many' : numberText(replicas)];
    }),
  ]);
  return table(header, rows);
}

function percent(share: number): string {
  return share > 1 ? 'behind' : `${Math.round(share * 100)} %`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
