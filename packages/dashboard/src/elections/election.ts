import type { LeaseCandidate } from '../api/kubernetes-objects.js';
import { timeOf } from '../leases/observe-lease.js';
import { leaseState } from '../leases/lease-state.js';
import type { ObservedLease } from '../leases/observed-lease.js';
import { compareVersions, parseVersion } from './compare-versions.js';

export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';
/** How long a candidate that shows itself no more remains one, in the server's controller. */
const CANDIDATE_VALID_MS = 30 * 60_000;

/** A lease and who stands for it. */
export interface Election {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly lease: ObservedLease | undefined;
  /** The best by the strategy first. */
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
  /** Asked whether it is there, and no answer yet. */
  readonly isPinged: boolean;
}

/** Candidates by what they stand for, in the order of namespace and name. */
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

/** OldestEmulationVersion: the oldest emulation version, then the oldest binary, then who was made first. */
function byRank(a: Candidate, b: Candidate): number {
  return reasonOf(a, b).order || (a.name < b.name ? -1 : 1);
}

type Criterion = 'emulation version' | 'binary version' | 'age' | 'name';

/** What decides between two, and for whom: negative for the first. One without versions comes last. */
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

/** Why the holder leads, or why the best candidate does not yet, in a sentence. `now` on the server's clock. */
export function explainElection({ lease, candidates, strategy }: Election, now: number): string {
  const [best, second] = candidates.filter(({ renewedAt = 0 }) => renewedAt + CANDIDATE_VALID_MS >= now);
  if (!best) return 'No candidate has shown itself within half an hour, so nobody is elected.';
  const holder = lease?.holder ?? '';
  if (strategy !== '' && strategy !== OLDEST_EMULATION_VERSION) {
    return 'A controller of its own chooses by this strategy; the server only keeps the candidates.';
  }
  if (holder === '') return 'Nobody leads: an election is on its way.';
  if (lease && leaseState(lease, now) === 'expired') return 'The holder has let the lease run out: an election is due.';
  if (holder === best.name) return explainWinner(best, second);
  const preferred = lease?.lease.spec?.preferredHolder;
  if (preferred) return `The holder is asked to step down for ${preferred}, and keeps the lease until it does or until it runs out.`;
  if (!candidates.some(({ name }) => name === holder)) return 'The holder is no candidate. It keeps the lease as long as it renews it.';
  return `${best.name} comes first by the strategy and takes over when the next election is held.`;
}

function explainWinner(best: Candidate, second: Candidate | undefined): string {
  if (!second) return 'It is the only candidate.';
  const { by } = reasonOf(best, second);
  if (by === 'emulation version') return `It has the oldest emulation version, ${best.emulationVersion}.`;
  if (by === 'binary version') return `Emulation versions are the same; it has the oldest binary, ${best.binaryVersion}.`;
  return 'Versions are the same; it was the first to stand.';
}
