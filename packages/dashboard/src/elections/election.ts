import type { LeaseCandidate } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';
import { leaseState } from '../leases/lease-state.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { compareVersions, parseVersion } from './compare-versions.js';

const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';
/** How long the server's controller keeps a candidate that no longer renews. */
const CANDIDATE_VALID_MS = 30 * 60_000;

/** A lease and its candidates. */
export interface Election {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly lease: ObservedLease | undefined;
  /** In the order of the strategy, the best first. */
  readonly candidates: readonly Candidate[];
  readonly strategy: string;
}

export interface Candidate {
  readonly name: string;
  readonly object: LeaseCandidate;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly strategy: string;
  readonly created: number;
  readonly renewedAt: number | undefined;
  /** Pinged, and not answered yet. */
  readonly isPinged: boolean;
}

/** Candidates by lease, ordered by namespace and name. */
export function groupCandidates(candidates: Iterable<LeaseCandidate>, leases: ReadonlyMap<string, ObservedLease>): Election[] {
  const groups = new Map<string, LeaseCandidate[]>();
  for (const candidate of candidates) {
    const key = `${candidate.metadata.namespace ?? ''}/${candidate.spec?.leaseName ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(candidate);
    else groups.set(key, [candidate]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, members]) => {
      const lease = leases.get(key);
      const sorted = members.map(candidateOf).sort(byRank);
      const [namespace = '', name = ''] = key.split('/');
      const strategy = lease?.lease.spec?.strategy ?? sorted.find((one) => one.strategy !== '')?.strategy ?? '';
      return { key, namespace, name, lease, candidates: sorted, strategy };
    });
}

function candidateOf(object: LeaseCandidate): Candidate {
  const { metadata, spec = {} } = object;
  const [renewedAt, pinged] = [timeOf(spec.renewTime), timeOf(spec.pingTime)];
  return {
    name: metadata.name,
    object,
    binaryVersion: spec.binaryVersion ?? '',
    emulationVersion: spec.emulationVersion ?? '',
    strategy: spec.strategy ?? spec.preferredStrategies?.[0] ?? '',
    created: timeOf(metadata.creationTimestamp) ?? 0,
    renewedAt,
    isPinged: pinged !== undefined && pinged > (renewedAt ?? 0),
  };
}

/** OldestEmulationVersion: the oldest emulation version, then the oldest binary, then the earliest creation. */
function byRank(a: Candidate, b: Candidate): number {
  return reasonOf(a, b).order || (a.name < b.name ? -1 : 1);
}

type Criterion = 'emulation version' | 'binary version' | 'age' | 'name';

/** The deciding criterion between two candidates, and its result: negative for the first. A candidate without versions comes last. */
function reasonOf(a: Candidate, b: Candidate): { readonly order: number; readonly by: Criterion } {
  const emulation = compareKnown(a.emulationVersion, b.emulationVersion);
  if (emulation !== 0) return { order: emulation, by: 'emulation version' };
  const binary = compareKnown(a.binaryVersion, b.binaryVersion);
  if (binary !== 0) return { order: binary, by: 'binary version' };
  return { order: a.created - b.created, by: a.created === b.created ? 'name' : 'age' };
}

function compareKnown(a: string, b: string): number {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (one && other) return compareVersions(one, other);
  return Number(!one) - Number(!other);
}

/** A sentence that says why the holder leads, or why the best candidate does not lead yet. `now` is on the server's clock. */
export function explainElection({ lease, candidates, strategy }: Election, now: number): string {
  const [best, second] = candidates.filter(({ renewedAt = 0 }) => renewedAt + CANDIDATE_VALID_MS >= now);
  if (!best) return 'No candidate has renewed within half an hour, so there is no election.';
  const holder = lease?.holder ?? '';
  if (strategy !== '' && strategy !== OLDEST_EMULATION_VERSION) {
    return 'Another controller chooses by this strategy; the server only stores the candidates.';
  }
  if (holder === '') return 'There is no leader: an election is in progress.';
  if (lease && leaseState(lease, now) === 'expired') return 'The holder let the lease expire: an election is due.';
  if (holder === best.name) return explainWinner(best, second);
  const preferred = lease?.lease.spec?.preferredHolder;
  if (preferred) return `The holder is asked to step down for ${preferred}, and keeps the lease until it does or until the lease expires.`;
  if (!candidates.some(({ name }) => name === holder)) return 'The holder is not a candidate. It keeps the lease as long as it renews it.';
  return `${best.name} comes first by the strategy and takes over when the next election is held.`;
}

function explainWinner(best: Candidate, second: Candidate | undefined): string {
  if (!second) return 'It is the only candidate.';
  const { by } = reasonOf(best, second);
  if (by === 'emulation version') return `It has the oldest emulation version, ${best.emulationVersion}.`;
  if (by === 'binary version') return `Emulation versions are the same; it has the oldest binary, ${best.binaryVersion}.`;
  return 'Versions are the same; it is the oldest candidate.';
}
