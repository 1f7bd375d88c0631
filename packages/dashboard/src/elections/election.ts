import type { ApiClient } from '../api/api-client.js';
import { type FollowState, followList } from '../api/follow-list.js';
import type { LeaseCandidate } from '../api/kubernetes-objects.js';
import { keyOf, timeOf } from '../leases/observe-lease.js';
import { type ObservedLease, leaseState } from '../leases/observed-lease.js';
import { FrameSignal } from '../shell/live-leases.js';

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

/** Parses `1.36.0` or `v1.36` into numbers, missing parts as 0. Undefined for anything that is not a version. */
function parseVersion(text: string | undefined): readonly number[] | undefined {
  const [, numbers] = /^v?(\d[\d.]*)/.exec(text ?? '') ?? [];
  return numbers?.split('.').map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface ApiGroup {
  readonly versions?: readonly { readonly groupVersion: string; readonly version: string }[];
}

interface ApiResources {
  readonly resources?: readonly { readonly name: string }[];
}

const KNOWN = /^v1[a-z0-9]*$/;

/** The first version, in the server's order, that has LeaseCandidates; null if none has. */
export async function findCandidateVersion(client: ApiClient, signal: AbortSignal): Promise<string | null> {
  const group = await client.json<ApiGroup>('/apis/coordination.k8s.io', { signal });
  for (const { version } of group.versions ?? []) {
    if (!KNOWN.test(version)) continue;
    const { resources = [] } = await client.json<ApiResources>(`/apis/coordination.k8s.io/${version}`, { signal });
    if (resources.some(({ name }) => name === 'leasecandidates')) return version;
  }
  return null;
}

/** Candidates, kept up to date while a component uses them. */
export class LiveCandidates {
  readonly objects = new Map<string, LeaseCandidate>();
  readonly changed = new FrameSignal();
  state: FollowState = { phase: 'loading' };
  loaded = false;
  #abort: AbortController | undefined;

  /** `namespace`: '' for all. */
  follow(client: ApiClient, version: string, namespace: string): void {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    const root = `/apis/coordination.k8s.io/${version}`;
    void followList<LeaseCandidate>({
      client,
      path: namespace === '' ? `${root}/leasecandidates` : `${root}/namespaces/${encodeURIComponent(namespace)}/leasecandidates`,
      signal: abort.signal,
      follower: {
        replace: (items) => {
          this.objects.clear();
          for (const item of items) this.objects.set(keyOf(item.metadata), item);
          this.loaded = true;
          this.changed.poke();
        },
        apply: (events) => {
          for (const { type, object } of events) {
            if (type === 'DELETED') this.objects.delete(keyOf(object.metadata));
            else this.objects.set(keyOf(object.metadata), object);
          }
          this.changed.poke();
        },
        tell: (state) => {
          this.state = state;
          this.changed.poke();
        },
      },
    });
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }
}
