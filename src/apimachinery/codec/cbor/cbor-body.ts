import type { StructType } from '../../schema/struct-type.js';
import { DecodeError } from '../../errors/decode-error.js';
import { type GroupVersionKind, parseGroupVersion } from '../serializer/group-version-kind.js';
import type { BodyDecoder } from '../serializer/decode-object.js';
import { CborDecoder, checkKeys } from './cbor-decoder.js';
import { type CborNode, isNull, isString } from './cbor-node.js';
import { readCbor } from './read-cbor.js';

/** A CBOR body for the common decoding of objects. */
export class CborBody implements BodyDecoder {
  readonly #body: Buffer;
  readonly #schema: StructType;
  #root: CborNode | undefined;

  constructor(body: Buffer, schema: StructType) {
    this.#body = body;
    this.#schema = schema;
  }

  sniff(): GroupVersionKind {
    try {
      this.#root = readCbor(this.#body);
      const { kind, apiVersion } = typeMeta(this.#root);
      return { ...parseGroupVersion(apiVersion), kind };
    } catch (error) {
      if (error instanceof DecodeError) throw new DecodeError(`unable to determine group/version/kind: ${error.message}`);
      throw error;
    }
  }

  decode() {
    return new CborDecoder().decode(this.#schema, this.#root ?? readCbor(this.#body));
  }
}

/** Kind and apiVersion of the outermost map; unlike in JSON, their names are case-sensitive. */
function typeMeta(root: CborNode): { kind: string; apiVersion: string } {
  const found = { kind: '', apiVersion: '' };
  if (isNull(root)) return found;
  if (root.kind !== 'map') {
    const detail = root.kind === 'array' ? ' (cannot decode CBOR array to struct without toarray option)' : '';
    throw new DecodeError(`cbor: cannot unmarshal ${root.kind} into Go value of type v1.TypeMeta${detail}`);
  }
  checkKeys(root);
  for (const [key, value] of root.entries) {
    if (!isString(key) || (key.value !== 'kind' && key.value !== 'apiVersion') || isNull(value)) continue;
    if (!isString(value)) {
      throw new DecodeError(`cbor: cannot unmarshal ${value.kind} into Go struct field v1.TypeMeta.${key.value} of type string`);
    }
    found[key.value] = value.value;
  }
  return found;
}
