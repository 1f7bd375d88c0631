import { FieldSet } from './field-set.js';
import { fieldElement } from './path-element.js';

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

/** Paths that nobody owns (apimachinery pkg/util/managedfields/internal/stripmeta.go). */
const STRIPPED = FieldSet.of([
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...METADATA.map((element) => [fieldElement('metadata'), element]),
]);

export function stripMeta(set: FieldSet): FieldSet {
  return set.difference(STRIPPED);
}

export function isStripped(path: readonly string[]): boolean {
  return STRIPPED.has(path);
}
