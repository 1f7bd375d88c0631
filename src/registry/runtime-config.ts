import type { KubeObject } from '../apimachinery/meta/object-meta.schema.js';
import { groupVersion } from '../apimachinery/schema/group-resource.js';
import type { ResourceDefinition, ResourceVersionDefinition } from './resource/resource-definition.js';
import { StartError } from '../settings/start-error.js';

const FLAG = '--runtime-config';
/** Keys that select several versions (apiserver pkg/server/options/api_enablement.go). */
const ALL = 'api/all';
const STABILITIES = ['api/ga', 'api/beta', 'api/alpha'];

/**
 * Determines which versions are served: `GROUP/VERSION=BOOL`, `GROUP/VERSION/RESOURCE=BOOL`, `api/all=BOOL`, `api/ga`, `api/beta` and
 * `api/alpha`. The most specific entry wins, and `=true` may be omitted. A version that is not served by default follows only its
 * resource's own entry.
 */
export class RuntimeConfig {
  readonly #switches: ReadonlyMap<string, boolean>;
  readonly #known = new Set([ALL, ...STABILITIES]);

  /** Throws StartError for a malformed entry. */
  constructor(entries: readonly string[]) {
    this.#switches = new Map(entries.map(parseEntry));
  }

  /** The definition with those of its known versions that are to be served. */
  apply<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
    const others = definition.otherVersions ?? [];
    const all = [...definition.versions, ...others];
    for (const { name } of all) {
      this.#known.add(groupVersion(definition.group, name)).add(`${groupVersion(definition.group, name)}/${definition.resource}`);
    }
    const served = all.filter((version) => this.#serves(definition as unknown as ResourceDefinition, version, others.includes(version)));
    return { ...definition, versions: served, otherVersions: all.filter((version) => !served.includes(version)) };
  }

  /** Call it after every definition has been applied. Throws StartError for entries that matched none of them. */
  refuseUnknown(): void {
    const unknown = [...this.#switches.keys()].find((name) => !this.#known.has(name));
    if (unknown !== undefined) throw new StartError(`unknown group version "${unknown}" in ${FLAG}`);
  }

  #serves({ group, resource }: ResourceDefinition, { name }: Pick<ResourceVersionDefinition, 'name'>, off: boolean): boolean {
    const version = groupVersion(group, name);
    const own = this.#switches.get(`${version}/${resource}`);
    if (off || own !== undefined) return own ?? false;
    return this.#switches.get(version) ?? this.#switches.get(stability(name)) ?? this.#switches.get(ALL) ?? true;
  }
}

function stability(version: string): string {
  if (version.includes('alpha')) return 'api/alpha';
  return version.includes('beta') ? 'api/beta' : 'api/ga';
}

function parseEntry(entry: string): [string, boolean] {
  const [name = '', value = 'true', ...rest] = entry.split('=');
  if (name === '' || rest.length > 0 || !/^(true|false)$/i.test(value)) {
    throw new StartError(`invalid value "${entry}" for ${FLAG}: must be GROUP/VERSION=true or =false`);
  }
  // The core group's version has two names.
  return [name.replace(/^api\/(?=v\d)/, ''), value.toLowerCase() === 'true'];
}
