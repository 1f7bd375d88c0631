import { TERM_RESOURCE } from '../../../src/storage/term-change.js';
import { Finding } from '../world/world.js';
import { type Commit, type Entry, type ObjectState, type States, nameOf } from './history.js';

const COLLECTOR_FINALIZER = 'foregroundDeletion';

/**
 * Checks what controllers do to namespaces and their contents, commit by commit. Nothing else deletes the contents of a namespace. Terms stay
 * when their namespace goes.
 */
export function checkNamespaces(commit: Commit): void {
  const before = commit.parent?.states ?? new Map<string, ObjectState>();
  for (const entry of commit.entries) {
    if (entry.object.resource === 'namespaces') checkNamespace(entry, before);
    else if (entry.object.path.includes('/') && entry.object.resource !== TERM_RESOURCE) checkContent(entry, before);
  }
}

function checkNamespace({ kind, object, revision }: Entry, before: States): void {
  if (kind !== 'D') return;
  const left = [...before.values()].filter(({ resource, path }) => path.startsWith(`${object.path}/`) && resource !== TERM_RESOURCE);
  if (left.length > 0) throw new Finding(`namespace ${object.path} is gone at ${revision}, and ${left.map(nameOf).join(', ')} is not`);
}

function checkContent({ kind, object, previous, revision }: Entry, before: States): void {
  const namespace = before.get(`namespaces ${object.path.slice(0, object.path.indexOf('/'))}`);
  if (!namespace) throw new Finding(`${nameOf(object)} is written at ${revision} without a namespace`);
  if (kind === 'A' && namespace.terminating) throw new Finding(`${nameOf(object)} is created at ${revision} in a namespace that ends`);
  if (kind === 'D' && !namespace.terminating) throw new Finding(`${nameOf(object)} is deleted at ${revision}, and its namespace lives`);
  const cleared = previous?.data.includes(COLLECTOR_FINALIZER) === true && !object.data.includes(COLLECTOR_FINALIZER);
  if (kind === 'M' && cleared && !previous.terminating) {
    throw new Finding(`${nameOf(object)} loses its finalizer at ${revision}, and lives`);
  }
}
