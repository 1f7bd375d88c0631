import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { type ApiKind, type ApiOperation, type ApiParameter, type OperationBody, RESPONSE_TEXTS, pathsOf } from './api-operation.js';
import { type Json, ComponentSchemas, OPENAPI_3 } from './component-schemas.js';

/** An OpenAPI 3.0 document with these operations and the schemas that they use. */
export function openapiV3(operations: readonly ApiOperation[], version: string, kindsOf: (type: StructType) => readonly ApiKind[]): Json {
  const schemas = new ComponentSchemas(OPENAPI_3, kindsOf);
  const paths = pathsOf(operations, (each) => operation(each, schemas), parameter);
  const all = schemas.all();
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths,
    components: {
      ...(Object.keys(all).length === 0 ? {} : { schemas: all }),
      securitySchemes: { BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' } },
    },
  };
}

function operation(from: ApiOperation, schemas: ComponentSchemas): Json {
  const own = from.parameters.filter((each) => !each.shared).map(parameter);
  return {
    tags: [from.tag],
    ...(from.summary === undefined ? {} : { summary: from.summary }),
    description: from.description,
    ...(from.deprecated ? { deprecated: true } : {}),
    operationId: from.id,
    ...(own.length === 0 ? {} : { parameters: own }),
    ...(from.body === undefined ? {} : { requestBody: requestBody(from, from.body, schemas) }),
    responses: responses(from, schemas),
    ...(from.action === undefined ? {} : { 'x-kubernetes-action': from.action }),
    ...(from.kind === undefined ? {} : { 'x-kubernetes-group-version-kind': from.kind }),
  };
}

function requestBody(from: ApiOperation, body: OperationBody, schemas: ComponentSchemas): Json {
  return { content: content(from.consumes, schemas.reference(body.schema), body.examples), ...(body.required ? { required: true } : {}) };
}

function responses(from: ApiOperation, schemas: ComponentSchemas): Json {
  const { responseSchema, responseExample } = from;
  const examples = responseExample === undefined ? undefined : { 'application/json': responseExample };
  const responses = from.codes.map((code) => [
    code,
    {
      description: RESPONSE_TEXTS[code],
      ...(responseSchema === undefined ? {} : { content: content(from.produces, schemas.reference(responseSchema), examples) }),
    },
  ]);
  return { ...(Object.fromEntries(responses) as Json), 401: { description: RESPONSE_TEXTS[401] }, ...failures(from, schemas) };
}

function failures({ failure }: ApiOperation, schemas: ComponentSchemas): Json {
  if (failure === undefined) return {};
  return { default: { description: 'A failure, explained', content: content(['application/json'], schemas.reference(failure)) } };
}

function content(types: readonly string[], schema: Json, examples: OperationBody['examples'] = {}): Json {
  return Object.fromEntries(types.map((type) => [type, { schema, ...(Object.hasOwn(examples, type) ? { example: examples[type] } : {}) }]));
}

const parameter = ({ name, in: place, type, description, example }: ApiParameter): Json => ({
  name,
  in: place,
  description,
  ...(place === 'path' ? { required: true } : {}),
  ...(example === undefined ? {} : { example }),
  schema: { type, uniqueItems: true },
});
