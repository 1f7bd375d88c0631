import type { Answer } from './recording.js';

interface Entry {
  readonly operation: string;
  readonly time: string;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

/**
 * The answer as it would be if writes a second apart had been made in one second. kube-apiserver orders managedFields by operation, second,
 * manager, version and subresource (`sortEncodedManagedFields` of apimachinery's managedfields package), so a replay whose writes are
 * divided by the turn of a second that did not divide the recorded ones gets the same entries in another order.
 */
export function inOneSecond(answer: Answer): Answer {
  return regrouped(answer) as Answer;
}

function regrouped(value: unknown, key?: string): unknown {
  if (Array.isArray(value)) {
    return key === 'managedFields' && value.every(isEntry) ? reordered(value) : value.map((item) => regrouped(item));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, regrouped(item, name)]));
}

const isEntry = (value: unknown): value is Entry =>
  value !== null && typeof value === 'object' && 'operation' in value && 'time' in value && typeof value.time === 'string';

/** The entries arrive in the order of their times, so a second that follows the one before it joins its group. */
function reordered(entries: readonly Entry[]): Entry[] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first?.operation === entry.operation && Date.parse(entry.time) - Date.parse(first.time) <= 1000) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) => group.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)));
}

const rankOf = ({ manager, apiVersion, subresource = '' }: Entry) => [manager, apiVersion, subresource].join('\0');
