import { DecodeError } from '../../errors/decode-error.js';

/** The type of an object. An empty group is the core group; an empty version or kind means that the sender omitted it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Splits `group/version` or `version`. Throws for more than one slash (apimachinery pkg/runtime/schema/group_version.go). */
export function parseGroupVersion(text: string): { group: string; version: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { group: '', version: text };
  if (text.includes('/', slash + 1)) throw new DecodeError(`unexpected GroupVersion string: ${text}`);
  return { group: text.slice(0, slash), version: text.slice(slash + 1) };
}

/** Fills in the parts that the sender omitted (apimachinery pkg/runtime/serializer/json/json.go, gvkWithDefaults). */
export function withDefaults(actual: GroupVersionKind, defaults: GroupVersionKind): GroupVersionKind {
  const kind = actual.kind === '' ? defaults.kind : actual.kind;
  if (actual.version !== '') return { group: actual.group, version: actual.version, kind };
  const ours = actual.group === '' || actual.group === defaults.group;
  return ours ? { group: defaults.group, version: defaults.version, kind } : { ...actual, kind };
}

/** Go's name of the internal type of a kind, which some errors show: `coordination.Lease`, `core.Event`. */
export function internalTypeName(group: string, kind: string): string {
  return `${group.split('.')[0] || 'core'}.${kind}`;
}
