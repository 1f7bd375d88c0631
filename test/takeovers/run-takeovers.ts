import { eventually } from '../support/eventually.js';
import { ask } from '../support/http-client.js';
import { SERVE_HISTORY } from '../support/serve-history.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { CandidateProcess } from './candidate-process.js';
import { type SeenTerm, LeaseWatcher } from './lease-watcher.js';

type Disturbance = 'killed' | 'paused' | 'released';

/** What a run compared. */
export interface TakeoverReport {
  /** How many leases each kind of disturbance passed on. */
  readonly takeovers: Readonly<Record<Disturbance, number>>;
  readonly terms: number;
  /** Terms that differ from what the watcher saw; empty for a run that has passed. */
  readonly differences: readonly string[];
}

interface StoredTerm {
  readonly spec: { readonly leaseName: string; readonly holder: string; readonly fencingToken: string; readonly from: string };
  readonly status: { readonly until?: string; readonly reason?: string };
}

const LEASES = Array.from({ length: 16 }, (_, i) => `lease-${i}`);
const DISTURBANCES: readonly Disturbance[] = ['killed', 'paused', 'released'];
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';

/**
 * Three candidates hold sixteen leases of one second, over one server; the one that holds most of them is killed, paused or asked to release
 * them, until so many leases have been taken over. A watcher on another server follows the leases. Compares what it saw with the terms.
 */
export async function runTakeovers(
  wanted: number,
  onRound: (disturbance: Disturbance, moved: number) => void = () => undefined,
): Promise<TakeoverReport> {
  await using server = await startServerProcess({ flags: [SERVE_HISTORY] });
  await using other = await startServerProcess({ databaseUrl: server.databaseUrl, flags: [SERVE_HISTORY] });
  const watcher = new LeaseWatcher(other.url);
  await watcher.opened();
  const candidates = [0, 1, 2].map((place) => new CandidateProcess(place, { server: server.url, leases: LEASES }));
  const takeovers = { killed: 0, paused: 0, released: 0 };
  const total = () => takeovers.killed + takeovers.paused + takeovers.released;
  try {
    await Promise.all(candidates.map((candidate) => candidate.start()));
    for (let round = 0; total() < wanted; round++) {
      await eventually(() => watcher.heldLeases === LEASES.length);
      const disturbance = DISTURBANCES[round % DISTURBANCES.length]!;
      const moved = await disturb(disturbance, candidates, watcher);
      takeovers[disturbance] += moved;
      onRound(disturbance, moved);
    }
    await Promise.all(candidates.map((candidate) => candidate.kill()));
    await watcher.complete();
    return { takeovers, terms: watcher.terms.length, differences: differences(watcher.terms, await storedTerms(other)) };
  } finally {
    await Promise.all(candidates.map((candidate) => candidate.kill()));
    watcher.close();
  }
}

/** Returns how many leases others have taken over. */
async function disturb(disturbance: Disturbance, candidates: readonly CandidateProcess[], watcher: LeaseWatcher): Promise<number> {
  const count = ({ identity }: CandidateProcess) => watcher.heldBy(identity).length;
  const leader = candidates.reduce((most, each) => (count(each) > count(most) ? each : most));
  const { identity } = leader;
  const held = watcher.heldBy(identity);
  if (disturbance === 'killed') await leader.kill();
  else if (disturbance === 'paused') leader.pause();
  else await leader.release();
  await eventually(() => watcher.heldBy(identity).length === 0 && watcher.heldLeases === LEASES.length);
  if (disturbance === 'paused') leader.resume();
  else await leader.start();
  return held.length;
}

async function storedTerms({ url }: ServerProcess): Promise<StoredTerm[]> {
  const { items = [] } = (await ask(`${url}${TERMS}`)).json;
  return (items as unknown as StoredTerm[]).sort((one, other) => Number(one.spec.fencingToken) - Number(other.spec.fencingToken));
}

/** One line for each difference. A term that was taken has expired: candidates wait until then. */
function differences(seen: readonly SeenTerm[], stored: readonly StoredTerm[]): string[] {
  const expected = new Set(
    seen.map(({ lease, holder, token, ended }) => `${lease} ${holder} ${token} ${ended === 'taken' ? 'Expired' : (ended ?? 'Held')}`),
  );
  const found = new Set(
    stored.map(({ spec, status }) => `${spec.leaseName} ${spec.holder} ${spec.fencingToken} ${status.reason ?? 'Held'}`),
  );
  return [
    ...[...expected].filter((term) => !found.has(term)).map((term) => `seen, but not recorded: ${term}`),
    ...[...found].filter((term) => !expected.has(term)).map((term) => `recorded, but not seen: ${term}`),
    ...overlaps(stored),
  ];
}

/** Terms of one lease that begin before the one before has ended. */
function overlaps(stored: readonly StoredTerm[]): string[] {
  const last = new Map<string, StoredTerm>();
  return stored.flatMap((term) => {
    const { leaseName, fencingToken, from } = term.spec;
    const before = last.get(leaseName);
    last.set(leaseName, term);
    const isLate = before && !(before.status.until !== undefined && before.status.until <= from);
    return isLate ? [`${leaseName}.${fencingToken} began before ${before.spec.fencingToken} had ended`] : [];
  });
}
