import { randomInt } from 'node:crypto';
import { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import type { ObjectKey } from '../../storage/object-store.js';
import { type ResourceDefinition, type ResourceVersionDefinition, apiVersionOf } from '../resource/resource-definition.js';
import { fromHub, toHub } from './stored-codec.js';

/** Makes a name from a metadata.generateName prefix. */
export type NameGenerator = (prefix: string) => string;

/** No vowels and no look-alikes, so that suffixes spell no words (apimachinery pkg/util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_NAME_BYTES = 63;

/** Returns the prefix plus five random characters; the prefix is cut so that the name has at most 63 bytes. */
export function generateName(prefix: string): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += ALPHABET[randomInt(ALPHABET.length)];
  return truncate(prefix) + suffix;
}

function truncate(prefix: string): string {
  const bytes = Buffer.from(prefix, 'utf8');
  const limit = MAX_NAME_BYTES - SUFFIX_LENGTH;
  return bytes.length <= limit ? prefix : bytes.subarray(0, limit).toString('utf8');
}

let second = Number.NaN;
let text = '';

/**
 * Formats milliseconds since the epoch as a metav1.Time: UTC, whole seconds. The last text is cached because many writes share a second.
 */
export function timestamp(milliseconds: number): string {
  const current = Math.floor(milliseconds / 1000);
  if (current !== second) {
    text = `${new Date(current * 1000).toISOString().slice(0, 19)}Z`;
    second = current;
  }
  return text;
}

/** The resource name of namespaces in storage keys. */
export const NAMESPACE_RESOURCE = 'namespaces';

/** The storage key of a namespace, which is the container of every object in it. */
export function namespaceKey(name: string): ObjectKey {
  return { resource: NAMESPACE_RESOURCE, namespace: '', name };
}

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
