import type { Json } from './component-schemas.js';
import { type Bytes, any, bytes, extensions, flag, message, messages, named, text, texts } from './proto-bytes.js';

/**
 * The OpenAPI 2 document as gnostic's openapi.v2.Document, which older kubectl and many tools request. Field numbers are those of
 * OpenAPIv2.proto.
 */
export function openapiV2Protobuf(document: Json): Bytes {
  return Buffer.concat([
    text(1, document['swagger']),
    message(2, document['info'] as Json, info),
    bytes(8, named(2, document['paths'] as Record<string, Json>, pathItem)),
    bytes(9, named(1, document['definitions'] as Record<string, Json>, schema)),
    messages(12, document['security'] as Record<string, string[]>[], (each) => named(1, each, (scopes) => texts(1, scopes))),
    bytes(
      13,
      named(1, document['securityDefinitions'] as Record<string, Json>, (each) => bytes(2, apiKeySecurity(each))),
    ),
  ]);
}

const info = (value: Json) => Buffer.concat([text(1, value['title']), text(2, value['version'])]);

const apiKeySecurity = (value: Json) =>
  Buffer.concat([text(1, value['type']), text(2, value['name']), text(3, value['in']), text(4, value['description'])]);

function pathItem(value: Json): Bytes {
  return Buffer.concat([
    message(2, value['get'] as Json | undefined, operation),
    message(3, value['put'] as Json | undefined, operation),
    message(4, value['post'] as Json | undefined, operation),
    message(5, value['delete'] as Json | undefined, operation),
    message(8, value['patch'] as Json | undefined, operation),
    messages(9, value['parameters'] as Json[] | undefined, parameterItem),
  ]);
}

function operation(value: Json): Bytes {
  return Buffer.concat([
    texts(1, value['tags']),
    text(3, value['description']),
    text(5, value['operationId']),
    texts(6, value['produces']),
    texts(7, value['consumes']),
    messages(8, value['parameters'] as Json[] | undefined, parameterItem),
    bytes(
      9,
      named(1, value['responses'] as Record<string, Json>, (each) => bytes(1, response(each))),
    ),
    texts(10, value['schemes']),
    extensions(13, value),
  ]);
}

const parameterItem = (value: Json) =>
  bytes(1, value['in'] === 'body' ? bytes(1, bodyParameter(value)) : bytes(2, nonBodyParameter(value)));

function bodyParameter(value: Json): Bytes {
  return Buffer.concat([
    text(1, value['description']),
    text(2, value['name']),
    text(3, value['in']),
    flag(4, value['required']),
    message(5, value['schema'] as Json, schema),
  ]);
}

function nonBodyParameter(value: Json): Bytes {
  const isPath = value['in'] === 'path';
  const parts = [flag(1, value['required']), text(2, value['in']), text(3, value['description']), text(4, value['name'])];
  return isPath
    ? bytes(4, Buffer.concat([...parts, text(5, value['type']), flag(18, value['uniqueItems'])]))
    : bytes(3, Buffer.concat([...parts, text(6, value['type']), flag(20, value['uniqueItems'])]));
}

const response = (value: Json) =>
  Buffer.concat([text(1, value['description']), message(2, value['schema'] as Json | undefined, (each) => bytes(1, schema(each)))]);

function schema(value: Json): Bytes {
  const items = value['items'] as Json | undefined;
  return Buffer.concat([
    text(1, value['$ref']),
    text(2, value['format']),
    text(4, value['description']),
    texts(19, value['required']),
    messages(20, value['enum'] as unknown[] | undefined, any),
    message(21, value['additionalProperties'] as Json | undefined, (each) => bytes(1, schema(each))),
    message(22, value['type'], (type) => text(1, type)),
    message(23, items, (each) => bytes(1, schema(each))),
    message(25, value['properties'] as Record<string, Json> | undefined, (each) => named(1, each, schema)),
    extensions(31, value),
  ]);
}
