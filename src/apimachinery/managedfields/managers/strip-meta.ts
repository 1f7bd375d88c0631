import { FieldSet } from '../fieldpath/field-set.js';
import { fieldElement } from '../fieldpath/path-element.js';

const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
].map(fieldElement);

/** Paths that are never owned (apimachinery pkg/util/managedfields/internal/stripmeta.go). */
const STRIPPED = FieldSet.of([
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...METADATA.map((element) => [fieldElement('metadata'), element]),
]);

/** The set without the paths that are never owned. */
export function stripMeta(set: FieldSet): FieldSet {
  return set.difference(STRIPPED);
}

/** Whether a path is never owned. */
export function isStripped(path: readonly string[]): boolean {
  return STRIPPED.has(path);
}
