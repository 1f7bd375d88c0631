import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { type ApiKind, type ApiOperation, type ApiParameter, type OperationBody, RESPONSE_TEXTS, pathsOf } from './api-operation.js';
import { type Json, ComponentSchemas, OPENAPI_2 } from './component-schemas.js';

/** The OpenAPI 2 document of the whole API. */
export function openapiV2(operations: readonly ApiOperation[], version: string, kindsOf: (type: StructType) => readonly ApiKind[]): Json {
  const schemas = new ComponentSchemas(OPENAPI_2, kindsOf);
  const paths = pathsOf(operations, (each) => operation(each, schemas), parameter);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths,
    definitions: schemas.all(),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

function operation(from: ApiOperation, schemas: ComponentSchemas): Json {
  const body = from.body === undefined ? [] : [bodyParameter(from.body, schemas)];
  const parameters = [...body, ...from.parameters.filter((each) => !each.shared).map(parameter)];
  return {
    description: from.description,
    consumes: from.consumes,
    produces: from.produces,
    schemes: ['https'],
    tags: [from.tag],
    operationId: from.id,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responses(from, schemas),
    ...(from.action === undefined ? {} : { 'x-kubernetes-action': from.action }),
    ...(from.kind === undefined ? {} : { 'x-kubernetes-group-version-kind': from.kind }),
  };
}

const bodyParameter = (body: OperationBody, schemas: ComponentSchemas): Json => ({
  name: 'body',
  in: 'body',
  ...(body.required ? { required: true } : {}),
  schema: schemas.reference(body.schema),
});

function responses(from: ApiOperation, schemas: ComponentSchemas): Json {
  const { responseSchema } = from;
  const responses = from.codes.map((code) => [
    code,
    { description: RESPONSE_TEXTS[code], ...(responseSchema === undefined ? {} : { schema: schemas.reference(responseSchema) }) },
  ]);
  return { ...(Object.fromEntries(responses) as Json), 401: { description: RESPONSE_TEXTS[401] } };
}

const parameter = ({ name, in: place, type, description }: ApiParameter): Json => ({
  name,
  in: place,
  description,
  ...(place === 'path' ? { required: true } : {}),
  type,
  uniqueItems: true,
});
