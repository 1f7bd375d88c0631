const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Longer than the week that the pictures show. */
const PAST_MS = 8 * 24 * HOUR;

/** A lease of the demo, with a past and a present. */
export interface DemoLease {
  readonly namespace: string;
  readonly name: string;
  readonly seconds: number;
  readonly holders: readonly string[];
  /** How long a term lasts on average. */
  readonly termMs: number;
  /** The part of the terms that end because their holder is late; in the others it releases the lease. */
  readonly lateShare: number;
  /** When the present term began, and when its holder renewed or released the lease for the last time; undefined: it was never held. */
  readonly present?: { readonly sinceMs: number; readonly renewedMs: number };
  /** What its holders do while the pictures are taken. */
  readonly now: 'renewed' | 'contended' | 'silent' | 'released';
}

/** A term of the past or, without an end, of the present. Times in milliseconds. */
export interface DemoTerm {
  readonly holder: string;
  readonly began: number;
  readonly until?: number;
  readonly renewed: number;
  readonly reason?: 'Expired' | 'Released';
}

/** As a Deployment names its pods. */
const pods = (name: string, template: string, ...ends: string[]) => ends.map((end) => `${name}-${template}-${end}`);
const ingest = pods('ingest', '6c4f', '7hx2p', 'kv8sd', 'q5wzn', 't9bmr');
/** Renewed a little ahead of the time, since the server has yet to start. */
const held = (sinceMs: number) => ({ now: 'renewed', present: { sinceMs, renewedMs: -9000 } }) as const;

/** A lease in each state, as many as the page shows without scrolling. */
export const DEMO_LEASES: readonly DemoLease[] = [
  { namespace: 'ingest', name: 'partition-0', seconds: 10, holders: ingest, termMs: 20 * HOUR, lateShare: 0.3, ...held(5 * HOUR) },
  { namespace: 'ingest', name: 'partition-1', seconds: 10, holders: ingest, termMs: 15 * HOUR, lateShare: 0.3, ...held(11 * HOUR) },
  { namespace: 'ingest', name: 'partition-2', seconds: 10, holders: ingest, termMs: 17 * HOUR, lateShare: 0.2, ...held(26 * HOUR) },
  {
    ...{
      namespace: 'jobs',
      name: 'backup',
      seconds: 300,
      holders: pods('backup', '58d7', '2lqvx', '9nrtc'),
      termMs: 20 * HOUR,
      lateShare: 0.1,
    },
    ...{ now: 'silent', present: { sinceMs: 7 * HOUR, renewedMs: 175_000 } },
  },
  {
    ...{
      namespace: 'jobs',
      name: 'cache-warmer',
      seconds: 30,
      holders: pods('warmer', 'b6f8', 'fj6wk', 'z4hqs', '7cvdn'),
      termMs: 12 * HOUR,
      lateShare: 0.4,
    },
    ...{ now: 'silent', present: { sinceMs: 9 * HOUR, renewedMs: 79 * MINUTE } },
  },
  {
    ...{
      namespace: 'jobs',
      name: 'export-queue',
      seconds: 15,
      holders: pods('exporter', '94cd', 'm8ptz', 'h5xrl', 'w2sgk'),
      termMs: 1.4 * HOUR,
      lateShare: 0.4,
    },
    ...{ now: 'contended', present: { sinceMs: 40 * MINUTE, renewedMs: -9000 } },
  },
  {
    namespace: 'jobs',
    name: 'invoice-mailer',
    seconds: 20,
    holders: pods('mailer', '6bd9', 'c7kfv', 'pn3xw', '4tzrj'),
    termMs: 22 * HOUR,
    lateShare: 0.2,
    ...held(15 * HOUR),
  },
  {
    ...{
      namespace: 'jobs',
      name: 'nightly-report',
      seconds: 60,
      holders: pods('report', 'd4c6', 'lz9mk', '5wvhq'),
      termMs: 23 * HOUR,
      lateShare: 0,
    },
    ...{ now: 'released', present: { sinceMs: 4.2 * HOUR, renewedMs: 2.6 * HOUR } },
  },
  { namespace: 'jobs', name: 'reindex', seconds: 30, holders: [], termMs: 0, lateShare: 0, now: 'silent' },
  {
    namespace: 'platform',
    name: 'ledger',
    seconds: 15,
    holders: pods('ledger', '5d8b', 'k8r2t', '22kqp', 'vn6cx'),
    termMs: 40 * HOUR,
    lateShare: 0.2,
    ...held(31 * HOUR),
  },
  {
    namespace: 'platform',
    name: 'notifier',
    seconds: 15,
    holders: pods('notifier', '66c7', 'q7w9z', 'pd4ls', '8hrfb'),
    termMs: 6 * HOUR,
    lateShare: 0.3,
    ...held(3 * HOUR),
  },
  {
    namespace: 'platform',
    name: 'payments',
    seconds: 15,
    holders: pods('payments', '7f9c', 'x2m4p', 'jj82k', '8sd2w'),
    termMs: 26 * HOUR,
    lateShare: 0.3,
    ...held(13 * HOUR),
  },
];

/** All terms of a lease, the oldest first. `random` gives numbers from 0 to 1. */
export function demoTerms(lease: DemoLease, now: number, random: () => number): DemoTerm[] {
  const { holders, present } = lease;
  if (!present) return [];
  const began = now - present.sinceMs;
  let at = Math.floor(random() * holders.length);
  const renewed = now - present.renewedMs;
  const ended = lease.now === 'released' ? ({ until: renewed, reason: 'Released' } as const) : {};
  const terms: DemoTerm[] = [{ holder: holders[at] ?? '', began, renewed, ...ended }];
  for (let next = began; next > now - PAST_MS;) {
    at = (at + 1 + Math.floor(random() * (holders.length - 1))) % holders.length;
    const from = next - lease.termMs * (0.15 + 1.7 * random());
    terms.unshift({ holder: holders[at] ?? '', began: from, ...endBefore(next, lease, random) });
    next = from;
  }
  return terms;
}

/** How a term ends when the next one begins: a late holder loses the lease at that moment, and a released one waits a little for the next. */
function endBefore(next: number, { seconds, lateShare }: DemoLease, random: () => number): Omit<DemoTerm, 'holder' | 'began'> {
  if (random() < lateShare) return { until: next, renewed: next - seconds * 1000 - 400 - 4000 * random() ** 2, reason: 'Expired' };
  const until = next - 150 * 20 ** random();
  return { until, renewed: until, reason: 'Released' };
}
