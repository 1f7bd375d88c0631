import type { KubeObject } from '../../meta/kube-object.js';
import type { StructType } from '../../schema/struct-type.js';
import { renderGroupVersionKind } from '../../schema/group-resource.js';
import { type StructMergeType, compileObjectType } from './merge-type.js';
import type { PathElement } from '../fieldpath/path-element.js';
import { structuredView } from './structured-view.js';
import { explaining, toWireObject } from './to-wire-object.js';
import { checkTyped } from './validate-configuration.js';

/** Parsed JSON of an object. */
export type Plain = Record<string, unknown>;

/** Converts an object between served versions; throws what the codec throws. */
export type ConvertObject = (object: KubeObject, fromApiVersion: string, toApiVersion: string) => KubeObject;

/** The compiled types of a resource's versions, and conversions between them. Managers of other versions are dropped. */
export class VersionedTypes {
  readonly #kind: string;
  readonly #schemas: ReadonlyMap<string, StructType>;
  readonly #types = new Map<string, StructMergeType>();
  readonly #empty = new Map<string, Plain>();
  readonly #convert: ConvertObject | undefined;

  /** `reset`: fields that writes cannot change (upstream's ResetFields); their ownership never changes. */
  constructor(
    kind: string,
    versions: Readonly<Record<string, StructType>>,
    convert?: ConvertObject,
    readonly reset: readonly PathElement[] = [],
  ) {
    this.#kind = kind;
    for (const [apiVersion, schema] of Object.entries(versions)) {
      const type = compileObjectType(schema);
      this.#types.set(apiVersion, type);
      this.#empty.set(apiVersion, structuredView(type, {}));
    }
    this.#schemas = new Map(Object.entries(versions));
    this.#convert = convert;
  }

  /** Whether the resource has this version (`group/version`). */
  knows(apiVersion: string): boolean {
    return this.#types.has(apiVersion);
  }

  /** Throws for an unknown version, which is a defect of the caller. */
  type(apiVersion: string): StructMergeType {
    const type = this.#types.get(apiVersion);
    if (type === undefined) throw new Error(`no type for ${apiVersion}`);
    return type;
  }

  /** An object as a typed value; undefined for an object that does not exist yet. */
  view(object: KubeObject | undefined, apiVersion: string): Plain {
    return object === undefined ? (this.#empty.get(apiVersion) ?? {}) : structuredView(this.type(apiVersion), object);
  }

  /** Converts a merged value to an object. Throws WireObjectError. */
  object(value: Plain, apiVersion: string): KubeObject {
    const schema = this.#schemas.get(apiVersion);
    if (schema === undefined) throw new Error(`no type for ${apiVersion}`);
    const type = renderGroupVersionKind({ kind: this.#kind, apiVersion });
    return explaining(`unable to convert unstructured object to ${type}`, () => toWireObject(schema, value));
  }

  /** Converts a typed value to another version. Throws WireObjectError, and UntypedObjectError if its lists have repeated items. */
  convert(value: Plain, from: string, to: string): Plain {
    if (from === to) return value;
    if (this.#convert === undefined) throw new Error(`no conversion from ${from} to ${to}`);
    const converted = this.trackedView(this.#convert(this.object(value, from), from, to), to);
    checkTyped(this.type(to), converted, false);
    return converted;
  }

  /** An object as a typed value without untracked fields, from which merges start. */
  trackedView(object: KubeObject | undefined, apiVersion: string): Plain {
    const view = this.view(object, apiVersion);
    const metadata = { ...(view['metadata'] as Plain) };
    delete metadata['managedFields'];
    const tracked: Plain = { ...view, metadata };
    delete tracked['kind'];
    delete tracked['apiVersion'];
    return tracked;
  }
}
