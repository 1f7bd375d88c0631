import type { Json } from './component-schemas.js';
import { type Bytes, any, bytes, extensions, flag, message, messages, named, text, texts } from './proto-bytes.js';

/** An OpenAPI 3 document as gnostic's openapi.v3.Document. Field numbers are those of OpenAPIv3.proto. */
export function openapiV3Protobuf(document: Json): Bytes {
  const components = document['components'] as Json;
  return Buffer.concat([
    text(1, document['openapi']),
    message(2, document['info'] as Json, info),
    bytes(4, named(1, document['paths'] as Record<string, Json>, pathItem)),
    bytes(
      5,
      Buffer.concat([
        message(1, components['schemas'] as Record<string, Json> | undefined, (schemas) => named(1, schemas, schemaOrReference)),
        bytes(
          7,
          named(1, components['securitySchemes'] as Record<string, Json>, (each) => bytes(1, securityScheme(each))),
        ),
      ]),
    ),
  ]);
}

const info = (value: Json) => Buffer.concat([text(1, value['title']), text(6, value['version'])]);

const securityScheme = (value: Json) =>
  Buffer.concat([text(1, value['type']), text(2, value['description']), text(3, value['name']), text(4, value['in'])]);

function pathItem(value: Json): Bytes {
  return Buffer.concat([
    message(4, value['get'] as Json | undefined, operation),
    message(5, value['put'] as Json | undefined, operation),
    message(6, value['post'] as Json | undefined, operation),
    message(7, value['delete'] as Json | undefined, operation),
    message(10, value['patch'] as Json | undefined, operation),
    messages(13, value['parameters'] as Json[] | undefined, parameter),
  ]);
}

function operation(value: Json): Bytes {
  return Buffer.concat([
    texts(1, value['tags']),
    text(3, value['description']),
    text(5, value['operationId']),
    messages(6, value['parameters'] as Json[] | undefined, parameter),
    message(7, value['requestBody'] as Json | undefined, (each) => bytes(1, requestBody(each))),
    bytes(
      8,
      named(2, value['responses'] as Record<string, Json>, (each) => bytes(1, response(each))),
    ),
    extensions(13, value),
  ]);
}

const parameter = (value: Json) =>
  bytes(
    1,
    Buffer.concat([
      text(1, value['name']),
      text(2, value['in']),
      text(3, value['description']),
      flag(4, value['required']),
      message(10, value['schema'] as Json, schemaOrReference),
    ]),
  );

const requestBody = (value: Json) =>
  Buffer.concat([message(2, value['content'] as Record<string, Json>, mediaTypes), flag(3, value['required'])]);

const response = (value: Json) =>
  Buffer.concat([text(1, value['description']), message(3, value['content'] as Record<string, Json> | undefined, mediaTypes)]);

const mediaTypes = (value: Record<string, Json>) => named(1, value, (each) => message(1, each['schema'] as Json, schemaOrReference));

function schemaOrReference(value: Json): Bytes {
  return typeof value['$ref'] === 'string' ? bytes(2, text(1, value['$ref'])) : bytes(1, schema(value));
}

function schema(value: Json): Bytes {
  return Buffer.concat([
    flag(20, value['uniqueItems']),
    texts(23, value['required']),
    messages(24, value['enum'] as unknown[] | undefined, any),
    text(25, value['type']),
    messages(26, value['allOf'] as Json[] | undefined, schemaOrReference),
    message(30, value['items'] as Json | undefined, (each) => bytes(1, schemaOrReference(each))),
    message(31, value['properties'] as Record<string, Json> | undefined, (each) => named(1, each, schemaOrReference)),
    message(32, value['additionalProperties'] as Json | undefined, (each) => bytes(1, schemaOrReference(each))),
    message(33, value['default'], defaultValue),
    text(34, value['description']),
    text(35, value['format']),
    extensions(36, value),
  ]);
}

/** gnostic supports only numbers, booleans and strings as defaults; an empty object is omitted. */
function defaultValue(value: unknown): Bytes {
  if (typeof value === 'number') return Buffer.concat([Buffer.from([1 * 8 + 1]), doubleBytes(value)]);
  if (typeof value === 'boolean') return Buffer.from([2 * 8, value ? 1 : 0]);
  return typeof value === 'string' ? bytes(3, Buffer.from(value)) : Buffer.alloc(0);
}

function doubleBytes(value: number): Bytes {
  const out = Buffer.alloc(8);
  out.writeDoubleLE(value);
  return out;
}
