import { compareText } from '../../go/compare-text.js';
import { type Managers, type ManagerState, managerIdentity } from './managed-fields-entry.js';

/** Maximum number of update entries of an object; apply entries do not count. */
export const MAX_UPDATE_MANAGERS = 10;

/**
 * Merges the oldest update entries into `ancient-changes`, one such entry per version, until their number is within the limit (apimachinery
 * pkg/util/managedfields/internal/capmanagers.go). The first old entry of a version is merged only when a second one of that version has to
 * be, so that entries of rare versions stay. Changes `managers`.
 */
export function capManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, state]) => state.operation === 'Update');
  let excess = updaters.length - MAX_UPDATE_MANAGERS;
  if (excess <= 0) return;
  updaters.sort(byAge);
  const firstOfVersion = new Map<string, string>();
  for (const [identity, state] of updaters) {
    if (excess <= 0) return;
    const first = firstOfVersion.get(state.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(state.apiVersion, identity);
    } else {
      moveToBucket(managers, first, identity, state);
      excess--;
    }
  }
}

function moveToBucket(managers: Managers, first: string, identity: string, state: ManagerState): void {
  const name = { manager: 'ancient-changes', operation: 'Update', apiVersion: state.apiVersion, subresource: '' } as const;
  const bucket = managerIdentity(name);
  const source = managers.has(bucket) ? bucket : first;
  const merged = managers.get(source)?.set.union(state.set) ?? state.set;
  managers.delete(source);
  managers.delete(identity);
  // The later of the two times: entries are sorted by time.
  managers.set(bucket, { ...name, ...(state.time === undefined ? {} : { time: state.time }), set: merged });
}

function byAge(a: readonly [string, ManagerState], b: readonly [string, ManagerState]): number {
  return compareText(a[1].time ?? '', b[1].time ?? '') || compareText(a[0], b[0]);
}
