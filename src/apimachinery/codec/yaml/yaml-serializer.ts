import { deleteOptionsSchema } from '../../meta/options/delete-options.schema.js';
import type { DeleteOptionsBody } from '../../meta/options/delete-options-body.js';
import type { Status } from '../../meta/status.js';
import { statusSchema } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import { DecodeError } from '../decode-error.js';
import { decodeDeleteOptions } from '../delete-options-decoder.js';
import { compileEncoder } from '../json/json-encoder.js';
import { jsonBody, joinJson, jsonList } from '../json/json-serializer.js';
import type { BodyDecoder } from '../object-decoder.js';
import { decodeObject } from '../object-decoder.js';
import type { DecodedObject, Encoded, ExpectedObject, FieldValidation, ItemRun, ListHead, Serializer } from '../serializer.js';
import { toYaml } from './json-to-yaml.js';
import { duplicatesFinding, yamlToJson } from './yaml-to-json.js';

/** application/yaml: everything passes through JSON (apimachinery pkg/runtime/serializer/json with sigs.k8s.io/yaml). No watches. */
export class YamlSerializer implements Serializer {
  readonly mediaType = 'application/yaml';
  readonly encodesTables = true;

  decodeObject(body: Buffer, expected: ExpectedObject, validation: FieldValidation): DecodedObject {
    return decodeObject(body, new YamlBody(body, expected.schema), expected, validation, warningsOf);
  }

  decodeDeleteOptions(body: Buffer): DeleteOptionsBody {
    return decodeDeleteOptions(new YamlBody(body, deleteOptionsSchema));
  }

  encodeObject(schema: StructType, object: object): string {
    return toYaml(compileEncoder(schema)(object));
  }

  encodeStatus(status: Status): string {
    return this.encodeObject(statusSchema, status);
  }

  /** Items are kept as JSON until the list is written. */
  encodeItem(schema: StructType, object: object): string {
    return compileEncoder(schema)(object);
  }

  joinItems(items: readonly Encoded[]): ItemRun {
    return joinJson(items);
  }

  encodeList(head: ListHead, runs: readonly ItemRun[]): string {
    return toYaml(jsonList(head, runs));
  }

  encodeEventObject(): string {
    throw new Error('there are no watch streams in YAML');
  }

  encodeWatchEvent(): string {
    throw new Error('there are no watch streams in YAML');
  }
}

class YamlBody implements BodyDecoder {
  readonly #body: Buffer;
  readonly #schema: StructType;
  #inner: BodyDecoder | undefined;
  #duplicates: readonly string[] = [];

  constructor(body: Buffer, schema: StructType) {
    this.#body = body;
    this.#schema = schema;
  }

  sniff() {
    const { json, duplicates } = yamlToJson(this.#body);
    this.#inner = jsonBody(json, Buffer.from(json), this.#schema);
    this.#duplicates = duplicates;
    return this.#inner.sniff();
  }

  decode(strict: boolean) {
    if (this.#inner === undefined) throw new DecodeError('the kind of a body is looked at first');
    const decoded = this.#inner.decode(strict);
    if (!strict || this.#duplicates.length === 0) return decoded;
    return { object: decoded.object, strictErrors: [duplicatesFinding(this.#duplicates), ...decoded.strictErrors] };
  }
}

/** A finding of the YAML parser covers several lines, of which each becomes a warning (apiserver pkg/endpoints/handlers/rest.go). */
function warningsOf(finding: string): readonly string[] {
  if (!finding.startsWith('yaml: unmarshal errors:\n')) return [finding];
  return finding
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}
