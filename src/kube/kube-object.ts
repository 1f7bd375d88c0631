import { isObject } from '../apimachinery/schema/is-object.js';

/** A JSON object, as far as copying needs its fields. `kubeObjectIn` has looked at those that it has: they are of these types. */
export interface KubeObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: KubeMetadata;
  readonly items?: readonly KubeObject[];
  readonly message?: string;
  readonly reason?: string;
  readonly spec?: unknown;
  readonly status?: unknown;
}

interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly unknown[];
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

const TEXTS = ['kind', 'apiVersion', 'message', 'reason'];
const TEXTS_OF_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'continue', 'deletionTimestamp'];
const TEXTS_OF_LEASES = ['holderIdentity', 'acquireTime', 'renewTime'];

/** Undefined for a text that is no such object. */
export function kubeObjectIn(text: string): KubeObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isKubeObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Takes fields out that are null, as Go writes an empty list. `object` is that of an event of a watch. */
function isKubeObject(value: unknown): value is KubeObject {
  if (!isObject(value)) return false;
  for (const name of ['metadata', 'items', 'spec', 'status', 'object']) if (value[name] === null) delete value[name];
  const { metadata = {}, items = [], spec = {}, object } = value;
  return (
    hasTexts(value, TEXTS) &&
    hasTexts(metadata, TEXTS_OF_METADATA) &&
    Array.isArray(items) &&
    items.every(isKubeObject) &&
    hasTexts(spec, TEXTS_OF_LEASES) &&
    (object === undefined || isKubeObject(object))
  );
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => value[name] === undefined || typeof value[name] === 'string');
}
