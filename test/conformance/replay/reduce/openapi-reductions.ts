import { type Content, type OpenApiDocument, type Operation, type Parameter, eachOperation, schemaName } from './openapi-document.js';
import { comparableSchemas } from './openapi-schemas.js';
import type { Reduction } from './reduction.js';

/** Projections of OpenAPI documents: the input of client generators, without prose. */
export const OPENAPI_REDUCTIONS: Readonly<Record<string, Reduction>> = {
  'openapi.paths': ({ paths }, pattern) =>
    Object.keys((paths as object | undefined) ?? {})
      .filter((path) => pattern.test(path))
      .sort(),
  'openapi.operations': (document, pattern) => eachOperation(document, pattern, ({ operationId }) => operationId),
  'openapi.kinds': (document, pattern) => eachOperation(document, pattern, kindOf),
  'openapi.parameters': (document, pattern) => eachOperation(document, pattern, (_, parameters) => parameterTexts(document, parameters)),
  'openapi.bodies': (document, pattern) =>
    eachOperation(document, pattern, (operation, parameters) => bodyOf(document, operation, parameters)),
  'openapi.responses': (document, pattern) => eachOperation(document, pattern, responsesOf),
  'openapi.media': (document, pattern) =>
    eachOperation(document, pattern, ({ consumes = [], produces = [], schemes }) => ({
      consumes: [...consumes].sort(),
      produces: [...produces].sort(),
      schemes,
    })),
  'openapi.schemas': (document, pattern) => comparableSchemas(document, pattern),
  'openapi.rest': (document) => restOf(document),
};

function kindOf(operation: Operation): string {
  const kind = operation['x-kubernetes-group-version-kind'];
  const name = kind === undefined ? '-' : [kind.group, kind.version, kind.kind].join('/');
  return `${operation['x-kubernetes-action'] ?? '-'} ${name} tags=${(operation.tags ?? []).join(',')}`;
}

function parameterTexts(document: OpenApiDocument, parameters: Parameter[]): string[] {
  return parameters
    .map((parameter) => parameterText(document, parameter))
    .filter((text) => !text.startsWith('body '))
    .sort();
}

function parameterText(document: OpenApiDocument, given: Parameter): string {
  const name = given.$ref?.replace(/^#\/(components\/)?parameters\//, '') ?? '';
  const { in: place, name: key, type, required, schema } = document.parameters?.[name] ?? document.components?.parameters?.[name] ?? given;
  const shown = place === 'body' ? schemaName(schema) : (schema?.type ?? type);
  return `${place} ${key} ${shown}${required ? ' required' : ''}`;
}

function bodyOf(document: OpenApiDocument, operation: Operation, parameters: Parameter[]): string {
  const body = parameters.find(({ in: place, $ref }) => place === 'body' || $ref?.startsWith('#/parameters/body'));
  if (body !== undefined) return parameterText(document, body);
  if (operation.requestBody === undefined) return 'none';
  return `${operation.requestBody.required ? 'required ' : ''}${contentTexts(operation.requestBody.content).join(', ')}`;
}

const responsesOf = ({ responses = {} }: Operation) =>
  Object.fromEntries(
    Object.entries(responses).map(([code, { content, schema }]) => [
      code,
      content === undefined ? (schemaName(schema) ?? 'no body') : contentTexts(content),
    ]),
  );

const contentTexts = (content: Content = {}) =>
  Object.entries(content)
    .map(([type, { schema }]) => `${type}: ${schemaName(schema)}`)
    .sort();

/** Everything except paths, schemas and shared parameters. */
function restOf(document: OpenApiDocument): object {
  const left = Object.entries(document).filter(([key]) => !['paths', 'components', 'definitions', 'parameters'].includes(key));
  if (document.components === undefined) return Object.fromEntries(left);
  const components = Object.entries(document.components).filter(([key]) => key !== 'schemas');
  return { ...Object.fromEntries(left), components: Object.fromEntries(components) };
}
