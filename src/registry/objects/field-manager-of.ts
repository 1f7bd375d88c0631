import { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import { fromHub, toHub } from './object-copy.js';
import { type ResourceDefinition, type ResourceVersionDefinition, apiVersionOf } from '../resource/resource-definition.js';

/**
 * Builds the FieldManager of a resource over the wire shapes of all its versions. Versions of another group are left out: a write in one of
 * the two groups of Events drops the owners of fields in the other, because upstream has no conversion between groups.
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
    subresource: definition.subresource,
    resetFields: definition.strategy.resetFields,
    convert: (object, from, to) => ({ ...fromHub(known(to), toHub(known(from), object)), apiVersion: to }),
  });
}
