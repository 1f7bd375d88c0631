import type { Contents } from '../postgres/contents.js';
import { Finding } from '../world/world.js';
import { type Entry, entriesBetween } from './history.js';

const LEASES = 'leases.coordination.k8s.io';

/** The terms in a database are what the writes of its history began and ended: token and holder of each, and how it ended. */
export function checkTerms({ head, terms }: Contents): void {
  const expected = expectedTerms(entriesBetween(head, 0, head.to));
  const found = new Map([...terms.values()].map(({ path, holder, ended }) => [`${path} ${holder}`, NAMES[ended ?? ''] ?? ended ?? '']));
  for (const id of new Set([...expected.keys(), ...found.keys()])) {
    const [wanted = 'missing', got = 'missing'] = [expected.get(id), found.get(id)];
    if (wanted !== got) throw new Finding(`the term ${id} is ${got}, and should be ${wanted}`);
  }
}

/** How each term has ended. */
function expectedTerms(entries: Iterable<Entry>): Map<string, string> {
  const expected = new Map<string, string>();
  const open = new Map<string, { readonly id: string; readonly holder: string }>();
  for (const { kind, revision, object } of entries) {
    if (object.resource !== LEASES) continue;
    const { holderIdentity = '', leaseTransitions } = (JSON.parse(object.data) as StoredLease).spec ?? {};
    const isHeld = kind !== 'D' && holderIdentity !== '';
    const holder = isHeld ? `${holderIdentity} ${leaseTransitions}` : undefined;
    const before = open.get(object.path);
    if (holder === before?.holder) continue;
    if (before) expected.set(before.id, endOf(kind, holder));
    open.delete(object.path);
    if (holder === undefined) continue;
    const id = `${object.path}.${revision} ${holderIdentity}`;
    open.set(object.path, { id, holder });
    expected.set(id, 'open');
  }
  return expected;
}

function endOf(kind: Entry['kind'], holder: string | undefined): string {
  if (kind === 'D') return 'Deleted';
  return holder === undefined ? 'let go' : 'replaced';
}

interface StoredLease {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

const NAMES: Readonly<Record<string, string>> = {
  '': 'open',
  Released: 'let go',
  Forced: 'let go',
  HandedOver: 'let go',
  Replaced: 'replaced',
  Expired: 'replaced',
};
