import type { Field, ListType, ScalarKind, ScalarType, SchemaType, StructType } from '../../apimachinery/schema/struct-type.js';
import type { ApiKind } from './api-operation.js';

export type Json = Record<string, unknown>;

/** Differences between OpenAPI 2 and 3 within schemas. */
export interface SchemaDialect {
  /** `#/definitions/` or `#/components/schemas/`. */
  readonly refPrefix: string;
  /** Fields in OpenAPI 3 documents have a `default`, and references there are in an `allOf`; elsewhere there is neither. */
  readonly defaults: boolean;
}

export const OPENAPI_2: SchemaDialect = { refPrefix: '#/definitions/', defaults: false };
export const OPENAPI_3: SchemaDialect = { refPrefix: '#/components/schemas/', defaults: true };

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const TIMES: Partial<Record<ScalarKind, { name: string; description: string }>> = {
  time: { name: `${META}.Time`, description: 'A point in time in RFC 3339 form, to the second.' },
  microTime: { name: `${META}.MicroTime`, description: 'A point in time in RFC 3339 form, to the microsecond.' },
};

const SCALARS: Record<'string' | 'int32' | 'int64' | 'bool', Json> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
};
const ZERO: Record<'string' | 'int32' | 'int64' | 'bool', unknown> = { string: '', int32: 0, int64: 0, bool: false };

/** Collects the schemas of the types that a document refers to, once each, by name (kube-openapi's builders). */
export class ComponentSchemas {
  readonly #dialect: SchemaDialect;
  readonly #kindsOf: (type: StructType) => readonly ApiKind[];
  readonly #schemas = new Map<string, Json>();

  /** `kindsOf` returns the kinds of a type for x-kubernetes-group-version-kind. */
  constructor(dialect: SchemaDialect, kindsOf: (type: StructType) => readonly ApiKind[]) {
    this.#dialect = dialect;
    this.#kindsOf = kindsOf;
  }

  /** A reference to the type, which is added together with all types that it uses. */
  reference(type: StructType): Json {
    if (!this.#schemas.has(type.openapiName)) {
      this.#schemas.set(type.openapiName, {});
      this.#schemas.set(type.openapiName, this.#struct(type));
    }
    return { $ref: this.#dialect.refPrefix + type.openapiName };
  }

  /** All schemas, sorted by name. */
  all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #struct(type: StructType): Json {
    const required = type.fields.filter((field) => field.required).map((field) => field.name);
    const kinds = this.#kindsOf(type);
    const properties = type.fields.map((field) => [field.name, this.#property(field)] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      description: type.description,
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': kinds }),
    };
  }

  #property(field: Field): Json {
    const { type, presence, description, zeroDefault = false } = field;
    const plain = type.kind === 'struct' ? presence !== 'optional' : presence === 'always' || zeroDefault;
    return { description, ...this.#type(type, plain) };
  }

  /** `plain`: the Go value is not a pointer and has no omitempty, so its zero value is the default. */
  #type(type: SchemaType, plain: boolean): Json {
    switch (type.kind) {
      case 'scalar':
        return this.#scalar(type, plain);
      case 'struct':
        return this.#wrapped(this.reference(type), plain ? { default: {} } : {});
      case 'map':
        return { type: 'object', additionalProperties: this.#element(type.values) };
      case 'raw':
        return type.openapiName === undefined ? {} : this.#wrapped(this.#raw(type.openapiName, type.description), {});
      case 'list':
        return { type: 'array', items: this.#element(type.items), ...listMarks(type) };
    }
  }

  /** An item of a list or a value of a map: a plain reference, or a type without a default. */
  #element(type: SchemaType): Json {
    const { allOf, ...rest } = this.#type(type, false);
    return allOf === undefined ? rest : (allOf as [Json])[0];
  }

  #scalar({ scalar, values }: ScalarType, plain: boolean): Json {
    if (scalar === 'time' || scalar === 'microTime') return this.#wrapped(this.#time(scalar), {});
    const fallback = this.#dialect.defaults && plain ? { default: ZERO[scalar] } : {};
    return { ...SCALARS[scalar], ...fallback, ...(values === undefined ? {} : { enum: values }) };
  }

  #wrapped(reference: Json, fallback: Json): Json {
    return this.#dialect.defaults ? { ...fallback, allOf: [reference] } : reference;
  }

  #time(kind: 'time' | 'microTime'): Json {
    const { name, description } = TIMES[kind] ?? { name: kind, description: '' };
    return this.#named(name, { description, type: 'string', format: 'date-time' });
  }

  #raw(name: string, description = 'Any value.'): Json {
    return this.#named(name, { description, type: 'object' });
  }

  #named(name: string, schema: Json): Json {
    this.#schemas.set(name, schema);
    return { $ref: this.#dialect.refPrefix + name };
  }
}

/** Markers of a list for server-side apply and strategic merge patch. */
function listMarks(type: ListType): Json {
  return {
    ...(type.undeclared ? {} : { 'x-kubernetes-list-type': type.semantics }),
    ...(type.mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': type.mapKeys }),
    ...(type.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': type.patchStrategy }),
    ...(type.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': type.patchMergeKey }),
  };
}
