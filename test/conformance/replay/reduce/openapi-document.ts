/** The compared parts of OpenAPI v2 and v3 documents. */
export interface OpenApiDocument {
  paths?: Record<string, PathItem>;
  parameters?: Record<string, Parameter>;
  definitions?: Record<string, Schema>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter>; [key: string]: unknown };
  [key: string]: unknown;
}

export interface PathItem {
  parameters?: Parameter[];
  [verb: string]: unknown;
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { content?: Content; schema?: Schema }>;
  consumes?: string[];
  produces?: string[];
  schemes?: unknown;
  'x-kubernetes-action'?: string;
  'x-kubernetes-group-version-kind'?: Kind;
}

export interface Kind {
  group: string;
  version: string;
  kind: string;
}

export interface Parameter {
  $ref?: string;
  in?: string;
  name?: string;
  type?: string;
  required?: boolean;
  schema?: Schema;
}

export type Content = Record<string, { schema?: Schema }>;

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  items?: Schema;
  [key: string]: unknown;
}

const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'];

/** The results of `project` for each operation whose path matches, by `VERB path`, in order. */
export function eachOperation<R>(
  document: OpenApiDocument,
  pattern: RegExp,
  project: (operation: Operation, parameters: Parameter[]) => R,
): Record<string, R> {
  const found = Object.entries(document.paths ?? {}).filter(([path]) => pattern.test(path));
  return Object.fromEntries(
    found.flatMap(([path, item]) =>
      VERBS.filter((verb) => item[verb] !== undefined).map((verb) => {
        const operation = item[verb] as Operation;
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
        return [`${verb.toUpperCase()} ${path}`, project(operation, parameters)] as const;
      }),
    ),
  );
}

/** The name of the schema that a schema references, otherwise its type. */
export function schemaName(schema: Schema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  const name = schema.$ref ?? schema.allOf?.[0]?.$ref ?? ownName(schema);
  return name.replace(/^#\/(components\/schemas|definitions)\//, '');
}

const ownName = (schema: Schema) => (schema.type === 'array' ? `[${schemaName(schema.items)}]` : (schema.type ?? JSON.stringify(schema)));
