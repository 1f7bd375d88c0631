import type { ApiClient } from '../api/api-client.js';
import type { LeaseTerm, ObjectList } from '../api/kubernetes-objects.js';
import { type Term, inOrder, termsOf } from './term.js';

export const HISTORY = 'history.coordination-apiserver.dev/v1';
const PAGE = 2000;

/** The newest terms of a lease, the oldest of them first. */
export interface LeaseTerms {
  readonly terms: readonly Term[];
  /** Whether the server has earlier ones. */
  readonly hasEarlier: boolean;
}

export interface TermsWanted {
  readonly namespace: string;
  readonly name: string;
  /** How many. */
  readonly depth: number;
  /** What was read before. */
  readonly known: LeaseTerms | undefined;
}

/**
 * Reads the newest terms of a lease: the server lists them from the newest back. Terms that have ended do not change any more, so reading
 * ends where it meets one that is known, unless more than the known ones are wanted.
 */
export async function readTerms(
  client: Pick<ApiClient, 'json'>,
  { namespace, name, depth, known }: TermsWanted,
  signal: AbortSignal,
): Promise<LeaseTerms> {
  const isEnough = known !== undefined && (!known.hasEarlier || known.terms.length >= depth);
  const ended = new Set(isEnough ? known.terms.flatMap(({ to, token }) => (to === undefined ? [] : [token])) : []);
  const read: LeaseTerm[] = [];
  for (let token = ''; ;) {
    const query = new URLSearchParams({ fieldSelector: `spec.leaseName=${name}`, limit: String(Math.min(PAGE, depth)) });
    if (token !== '') query.set('continue', token);
    const path = `/apis/${HISTORY}/namespaces/${encodeURIComponent(namespace)}/leaseterms?${query.toString()}`;
    const { items = [], metadata } = await client.json<ObjectList<LeaseTerm>>(path, { signal });
    for (const item of items) read.push(item);
    token = metadata?.continue ?? '';
    const meets = items.some(({ spec }) => ended.has(spec?.fencingToken));
    if (meets && known) return newest(joined(known.terms, termsOf(read)), known.hasEarlier, depth);
    if (token === '' || read.length >= depth) return newest(termsOf(read), token !== '', depth);
  }
}

function joined(known: readonly Term[], read: readonly Term[]): Term[] {
  const oldest = Math.min(...read.map(tokenOf));
  return [...known.filter((term) => tokenOf(term) < oldest), ...read].sort(inOrder);
}

function newest(terms: readonly Term[], hasEarlier: boolean, depth: number): LeaseTerms {
  return { terms: terms.slice(-depth), hasEarlier: hasEarlier || terms.length > depth };
}

function tokenOf({ token }: Term): number {
  return Number(token);
}
