/** The existing kinds, beyond the one that an endpoint expects (upstream: runtime.Scheme). */
export interface KindRegistry {
  isRegistered(group: string, version: string, kind: string): boolean;
  /** Whether upstream's internal version of a group has the kind, as it does if any version has it. */
  isInternal(group: string, kind: string): boolean;
}

/** Injection token of the KindRegistry. */
export const KIND_REGISTRY = Symbol('KindRegistry');

/** The name of upstream's scheme in error texts. */
export const SCHEME_NAME = 'pkg/runtime/scheme.go:111';

/** Kinds that upstream registers in every group version (apimachinery pkg/apis/meta/v1/register.go). */
const META_KINDS = ['WatchEvent', 'ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'];

/** A registry of the given kinds and their Lists, keyed by `group/version` (or `version` for core). */
export function kindRegistry(kinds: Readonly<Record<string, readonly string[]>>): KindRegistry {
  const known = new Set<string>();
  const internal = new Set<string>();
  for (const [groupVersion, names] of Object.entries(kinds)) {
    const group = groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : '';
    for (const name of names.flatMap((each) => [each, `${each}List`])) {
      known.add(`${groupVersion} ${name}`);
      internal.add(`${group} ${name}`);
    }
    for (const name of META_KINDS) known.add(`${groupVersion} ${name}`);
  }
  return {
    isRegistered: (group, version, kind) => known.has(`${group === '' ? '' : `${group}/`}${version} ${kind}`),
    isInternal: (group, kind) => internal.has(`${group} ${kind}`),
  };
}
