import { isObject } from '../../apimachinery/schema/is-object.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';
import { CommandError } from '../output/command-error.js';

/** A lease as commands name it. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const GROUP_VERSION = 'history.coordination-apiserver.dev/v1';
const PAGE = 500;

/** Parses `NAMESPACE/NAME`, or `NAME` in the namespace default. Throws a CommandError. */
export function leaseName(text: string): LeaseName {
  const [name = '', namespace = 'default', ...rest] = text.split('/').reverse();
  if (name === '' || namespace === '' || rest.length > 0) throw new CommandError(`invalid lease "${text}": must be NAME or NAMESPACE/NAME`);
  return { namespace, name };
}

function notServed({ target: { server } }: KubeClient): CommandError {
  return new CommandError(
    `${server} serves no terms: it needs --runtime-config=${GROUP_VERSION}=true in place of what turns them off; they are recorded all the same`,
  );
}

/** Another server may have other objects under this name. */
function isTerm(object: object): object is LeaseTerm {
  const { spec, status } = object as { readonly spec?: unknown; readonly status?: unknown };
  if (!isObject(spec) || !isObject(status)) return false;
  const times = [spec['from'], status['until'], status['reason'], status['lapsedAt']];
  return isText(spec['holder']) && isText(spec['fencingToken']) && times.every((time) => isText(time ?? ''));
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** All terms of a lease that the server still has, the oldest first. Throws a CommandError, also if there is none. */
export async function termsOf(client: KubeClient, { namespace, name }: LeaseName): Promise<LeaseTerm[]> {
  const terms: LeaseTerm[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const query = new URLSearchParams({ fieldSelector: `spec.leaseName=${name}`, limit: String(PAGE), ...(token && { continue: token }) });
    const path = `/apis/${GROUP_VERSION}/namespaces/${encodeURIComponent(namespace)}/leaseterms?${query.toString()}`;
    const answer = await client.ask('GET', path);
    if (answer.status === 404) throw notServed(client);
    if (answer.status !== 200) throw refusal('cannot list terms', answer);
    for (const item of answer.body.items ?? []) {
      if (!isTerm(item)) throw new CommandError(`${client.target.server} lists objects that are no terms`);
      terms.push(item);
    }
    token = answer.body.metadata?.continue || undefined;
  }
  if (terms.length === 0) {
    throw new CommandError(`no terms of ${namespace}/${name} are kept: nobody has held that lease, or longer ago than --term-history`);
  }
  return terms.sort((one, other) => Number(one.spec.fencingToken) - Number(other.spec.fencingToken));
}

/** A term as commands show it. */
export interface TermOfHistory {
  readonly holder: string;
  readonly from: string;
  /** Absent while it lasts. */
  readonly until?: string;
  readonly durationMs: number;
  /** Why it ended. */
  readonly reason?: string;
  /** How long nobody had held the lease before; absent for the first known term. */
  readonly gapMs?: number;
  readonly fencingToken: string;
  /** Whether the holder is late, or was at the end. */
  readonly lapsed?: true;
  /** How many times the holder was late. */
  readonly lapses?: number;
}

/** Who held a lease at one time. Nobody: `holder` is empty, and `from` and `until` are the end and the beginning of the nearest known terms. */
export interface LeaderAt {
  readonly holder: string;
  readonly fencingToken?: string;
  readonly from?: string;
  readonly until?: string;
  readonly reason?: string;
  /** Since when the holder had been late with its renewal, if it was at that time. */
  readonly expired?: string;
}

/** `terms` in the order of their tokens; `now` is for the one that lasts. */
export function historyOf(terms: readonly LeaseTerm[], now: number): TermOfHistory[] {
  return terms.map(({ spec, status }, at) => {
    const from = beginning(terms[at]);
    const before = terms[at - 1]?.status.until;
    return {
      holder: spec.holder,
      from: spec.from ?? '',
      ...(status.until && { until: status.until }),
      durationMs: Math.max(0, (status.until ? Date.parse(status.until) : now) - from),
      ...(status.reason && { reason: status.reason }),
      ...(before && { gapMs: Math.max(0, from - Date.parse(before)) }),
      fencingToken: spec.fencingToken,
      ...(status.lapsed && { lapsed: true as const }),
      ...(status.lapses && { lapses: status.lapses }),
    };
  });
}

/** `terms` in the order of their tokens. */
export function leaderAt(terms: readonly LeaseTerm[], at: number): LeaderAt {
  const index = terms.findLastIndex((term) => beginning(term) <= at);
  const term = terms[index];
  const until = term?.status.until ?? undefined;
  if (term && (until === undefined || at < Date.parse(until))) {
    const { holder, fencingToken, from } = term.spec;
    const expired = lapsedBy(term, at);
    return { holder, fencingToken, from: from ?? '', ...(until && { until, reason: term.status.reason }), ...(expired && { expired }) };
  }
  const next = terms[index + 1]?.spec.from;
  return { holder: '', ...(until && { from: until }), ...(next && { until: next }) };
}

/** When the holder's time was over, if it was at that time and has not been renewed since. */
function lapsedBy({ status: { lapsed, lapsedAt } }: LeaseTerm, at: number): string | undefined {
  return lapsed && lapsedAt && Date.parse(lapsedAt) <= at ? lapsedAt : undefined;
}

function beginning(term: LeaseTerm | undefined): number {
  return Date.parse(term?.spec.from ?? '');
}
