import type { SchemaType, StructType } from '../../schema/struct-type.js';
import { DecodeError } from '../../errors/decode-error.js';

/** The position of a value in the Go types: the struct of the field, and the names of the fields leading to it. */
export interface GoContext {
  readonly struct: StructType;
  readonly path: readonly string[];
}

/** encoding/json's UnmarshalTypeError; `value` is `string`, `number`, `number 1.5`, `object`, `array` or `bool`. */
export function typeError(value: string, goType: string, context?: GoContext): DecodeError {
  const target = context === undefined ? 'Go value' : `Go struct field ${context.struct.goName}.${context.path.join('.')}`;
  return new DecodeError(`json: cannot unmarshal ${value} into ${target} of type ${goType}`);
}

/** The name of a type as printed by Go: `v1.LeaseSpec`, `map[string]string`, `int32`. */
export function goTypeName(type: SchemaType): string {
  switch (type.kind) {
    case 'struct':
      return `${type.openapiName.split('.').at(-2) ?? 'v1'}.${type.goName}`;
    case 'list':
      return type.goType ?? `[]${goTypeName(type.items)}`;
    case 'map':
      return `map[string]${goTypeName(type.values)}`;
    case 'raw':
      return 'interface {}';
    case 'scalar':
      return type.goType ?? (type.scalar === 'time' || type.scalar === 'microTime' ? 'string' : type.scalar);
  }
}
