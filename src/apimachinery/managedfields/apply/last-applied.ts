import type { KubeObject } from '../../meta/object-meta.schema.js';
import { compare } from '../typed/compare.js';
import { compareText } from '../../go/go-string.js';
import type { FieldSet } from '../fieldpath/field-set.js';
import type { StructMergeType } from '../typed/merge-type.js';
import { toFieldSet } from '../typed/to-field-set.js';
import { validateConfiguration } from '../typed/validate-configuration.js';
import type { Plain } from '../typed/versioned-types.js';

/** The annotation in which kubectl's client-side apply stores what it applied. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The only manager whose applies use the annotation. */
export const KUBECTL = 'kubectl';

/** Limit on the size of metadata.annotations, keys and values together. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * The fields owned by client-side apply: those in the annotation that still have its values. kubectl may take them over without force
 * (apimachinery pkg/util/managedfields/internal/lastappliedmanager.go). Undefined if the annotation is absent, unreadable or for another
 * type.
 */
export function lastAppliedFields(type: StructMergeType, live: Plain, gvk: { kind: string; apiVersion: string }): FieldSet | undefined {
  const { annotations } = live['metadata'] as { annotations?: Record<string, string> };
  const lastApplied = parseObject(annotations?.[LAST_APPLIED]);
  if (lastApplied?.['apiVersion'] !== gvk.apiVersion || lastApplied['kind'] !== gvk.kind) return undefined;
  if (validateConfiguration(type, lastApplied).length > 0 || validateConfiguration(type, live).length > 0) return undefined;
  const { changedSet, removedSet } = compare(type, lastApplied, live);
  return toFieldSet(type, lastApplied).difference(changedSet).difference(removedSet);
}

function parseObject(text: string | undefined): Plain | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Updates the annotation with the applied configuration, if the object has one, so that client-side apply can continue from there. An
 * annotation that would be too large is removed.
 */
export function withLastApplied(object: KubeObject, configuration: Plain): KubeObject {
  const { annotations } = object.metadata;
  if (!annotations?.[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _old, ...others } = annotations;
  const value = `${sortedGoJson(withoutAnnotation(configuration))}\n`;
  const updated = { ...annotations, [LAST_APPLIED]: value };
  return { ...object, metadata: { ...object.metadata, annotations: bytesOf(updated) > MAX_ANNOTATION_BYTES ? others : updated } };
}

function withoutAnnotation(configuration: Plain): Plain {
  const metadata = configuration['metadata'] as Plain | null | undefined;
  if (metadata?.['annotations'] === undefined) return configuration;
  const { annotations, ...others } = metadata;
  if (annotations === null) return { ...configuration, metadata: others };
  const { [LAST_APPLIED]: _own, ...kept } = annotations as Plain;
  const texts = Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, value ?? '']));
  return { ...configuration, metadata: { ...others, annotations: texts } };
}

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}

/** Encodes JSON as Go encodes a map: keys sorted, HTML characters escaped. */
function sortedGoJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => sortedKeys(inner));
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)));
}
