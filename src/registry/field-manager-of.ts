import { FieldManager } from '../apimachinery/managedfields/field-manager.js';
import { fromHub, toHub } from './object-copy.js';
import type { ResourceDefinition, ResourceVersionDefinition } from './resource-definition.js';
import { apiVersionOf } from './resource-definition.js';

/**
 * The keeper of a resource's managedFields, over the wire shapes of all its versions. Those of another group do not count: a write
 * in one of the groups of Events drops the owners of fields in the other, as upstream's conversions know no way between groups.
 */
export function fieldManagerOf(definition: ResourceDefinition): FieldManager {
  const versions = new Map<string, ResourceVersionDefinition>();
  for (const version of [definition.storageVersion, ...(definition.otherVersions ?? []), ...definition.versions]) {
    if ((version.group ?? definition.group) === definition.group) versions.set(apiVersionOf(definition, version), version);
  }
  const known = (apiVersion: string): ResourceVersionDefinition => versions.get(apiVersion) ?? definition.storageVersion;
  return new FieldManager({
    kind: definition.kind,
    versions: Object.fromEntries([...versions].map(([name, { schema }]) => [name, schema])),
    ...(definition.subresource === undefined ? {} : { subresource: definition.subresource }),
    ...(definition.strategy.resetFields ? { resetFields: definition.strategy.resetFields } : {}),
    convert: (object, from, to) => ({ ...fromHub(known(to), toHub(known(from), object)), apiVersion: to }),
  });
}
