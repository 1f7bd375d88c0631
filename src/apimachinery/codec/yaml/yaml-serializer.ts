import { type DeleteOptionsBody, deleteOptionsSchema } from '../../meta/delete-options.schema.js';
import { type Status, statusSchema } from '../../meta/status.schema.js';
import type { StructType } from '../../schema/struct-type.js';
import { DecodeError } from '../../errors/api-error.js';
import { type BodyDecoder, decodeDeleteOptions, decodeObject } from '../serializer/decode-object.js';
import { compileEncoder } from '../json/json-encoder.js';
import {
  type DecodedObject,
  type Encoded,
  type ExpectedObject,
  type FieldValidation,
  type ItemRun,
  type ListHead,
  type Serializer,
  type TableHead,
  EncodedList,
} from '../serializer/serializer.js';
import { emptyListJson, emptyTableJson, jsonBody } from '../json/json-serializer.js';
import { toYaml } from './yaml-writer.js';
import { duplicatesFinding, yamlToJson } from './yaml-to-json.js';

/** application/yaml, converted from and to JSON (apimachinery pkg/runtime/serializer/json with sigs.k8s.io/yaml). No watches. */
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

  /** Items are JSON until they are joined. */
  encodeItem(schema: StructType, object: object): string {
    return compileEncoder(schema)(object);
  }

  /** A sequence without indentation looks the same as one that is a member of the outermost mapping. */
  joinItems(items: readonly Encoded[]): ItemRun {
    return { items: items.length, bytes: Buffer.from(toYaml(`[${items.join(',')}]`)) };
  }

  encodeList(head: ListHead, runs: readonly ItemRun[]): EncodedList {
    return listAround(toYaml(emptyListJson(head)), 'items:', runs);
  }

  encodeTable(head: TableHead, rows: readonly ItemRun[]): EncodedList {
    return listAround(toYaml(emptyTableJson(head)), 'rows:', rows);
  }

  encodeEventObject(): string {
    throw new Error('YAML has no watch streams');
  }

  encodeWatchEvent(): string {
    throw new Error('YAML has no watch streams');
  }
}

/** `emptyList`: the complete list without items; nothing else at the margin starts like the key of its items. */
function listAround(emptyList: string, key: string, runs: readonly ItemRun[]): EncodedList {
  if (runs.length === 0) return new EncodedList([Buffer.from(emptyList)]);
  const empty = `${key} []\n`;
  const at = emptyList.startsWith(empty) ? 0 : emptyList.indexOf(`\n${empty}`) + 1;
  const [before, after] = [emptyList.slice(0, at), emptyList.slice(at + empty.length)];
  return new EncodedList([Buffer.from(`${before}${key}\n`), ...runs.map(({ bytes }) => bytes), Buffer.from(after)]);
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
    if (this.#inner === undefined) throw new DecodeError('the kind of a body must be read first');
    const decoded = this.#inner.decode(strict);
    if (!strict || this.#duplicates.length === 0) return decoded;
    return { object: decoded.object, strictErrors: [duplicatesFinding(this.#duplicates), ...decoded.strictErrors] };
  }
}

/** A finding of the YAML parser spans several lines, each of which becomes a warning (apiserver pkg/endpoints/handlers/rest.go). */
function warningsOf(finding: string): readonly string[] {
  if (!finding.startsWith('yaml: unmarshal errors:\n')) return [finding];
  return finding
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}
