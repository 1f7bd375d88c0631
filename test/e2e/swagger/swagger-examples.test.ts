import { createContext, Script } from 'node:vm';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ask as send } from '../../support/http-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: string;
}

interface Operation {
  readonly tags: readonly [string];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { content: Record<string, { example?: unknown }> };
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };

interface Row {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

interface PageRequest {
  url: string;
  readonly method: string;
  body?: string;
}

/** What the page gives to Swagger UI. */
interface Options {
  readonly operationsSorter: (one: { get: (key: string) => string }, other: { get: (key: string) => string }) => number;
  readonly requestInterceptor: (request: PageRequest) => PageRequest;
  readonly responseInterceptor: (response: { url: string; obj: unknown }) => unknown;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const AUTHORIZATION = 'Bearer admin-token';

let server: TestServer;
beforeEach(async () => (server = await startTestServer()));
afterEach(() => server.close());

const textOf = async (path: string) => (await send(`${server.url}${path}`)).text;

/** Runs the script of the page. */
async function optionsOfPage(): Promise<Options> {
  const page = `${server.url}/swagger`;
  let load = () => {};
  let options: Options | undefined;
  const SwaggerUIBundle = Object.assign((given: Options) => (options = given), { presets: {}, plugins: {} });
  const window = { addEventListener: (_: string, listener: () => void) => (load = listener) };
  const document = { currentScript: { src: `${page}/swagger-ui-init.js` } };
  const context = { window, document, location: { href: page }, URL, SwaggerUIBundle, SwaggerUIStandalonePreset: {} };
  new Script(await textOf('/swagger/swagger-ui-init.js')).runInContext(createContext(context));
  load();
  return options!;
}

/** The operations from top to bottom. */
async function rowsOfPage({ operationsSorter }: Options): Promise<Row[]> {
  const { tags, paths } = JSON.parse(await textOf('/swagger/openapi.json')) as {
    tags: readonly { name: string }[];
    paths: Record<string, PathItem>;
  };
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): Row[] => {
      const operation = item[method];
      if (!operation) return [];
      return [{ path, method, operation, parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])] }];
    }),
  );
  const asMap = ({ path, method }: Row) => ({ get: (key: string) => ({ path, method })[key] ?? '' });
  const sorted = tags.map(({ name }) =>
    rows.filter(({ operation }) => operation.tags[0] === name).sort((one, other) => operationsSorter(asMap(one), asMap(other))),
  );
  expect(sorted.flat()).toHaveLength(rows.length);
  return sorted.flat();
}

/** Sends what is filled in, with the body of one media type; resolves with the status. */
async function tryOut({ path, method, parameters }: Row, options: Options, mediaType?: string, example?: unknown): Promise<number> {
  const url = new URL(server.url);
  url.pathname = path.replaceAll(/\{(\w+)\}/g, (_, name) => `${parameters.find((each) => each.name === name)?.example}`);
  for (const { name, in: place, example: value } of parameters) {
    if (place === 'query' && value !== undefined) url.searchParams.set(name, name === 'timeoutSeconds' ? '1' : `${value}`);
  }
  const body = example === undefined || typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
  const request = options.requestInterceptor({ url: url.href, method: method.toUpperCase(), body });
  const headers = { authorization: AUTHORIZATION, ...(mediaType === undefined ? {} : { 'content-type': mediaType }) };
  const { status, json } = await send(request.url, { method: request.method, headers, body: request.body });
  options.responseInterceptor({ url: request.url, obj: json });
  return status;
}

/** No example knows the name of a term or a refusal, and a server without a database has no states. */
const isWithoutExample = ({ path, operation, parameters }: Row) =>
  parameters.some((each) => each.in === 'path' && each.example === undefined) ||
  /\/(leaseterms|refusedrequests)\/\{name\}$|\/state$/.test(path) ||
  Object.values(operation.requestBody?.content ?? {}).some(({ example }) => example === undefined);

test.each(['application/json', 'application/yaml'])('every example succeeds from top to bottom, with bodies in %s', async (wanted) => {
  const options = await optionsOfPage();
  const results: string[] = [];
  const check = async (row: Row, type?: string, example?: unknown) => {
    const status = await tryOut(row, options, type, example);
    if (![200, 201, 202].includes(status)) results.push(`${row.method} ${row.path} ${type ?? ''}: ${status}`);
  };
  const watches: Promise<void>[] = [];
  const tried = (await rowsOfPage(options)).filter((row) => !isWithoutExample(row));
  for (const row of tried) {
    const content = Object.entries(row.operation.requestBody?.content ?? {});
    const chosen = content.filter(([type]) => type === wanted || row.method === 'patch');
    for (const [type, { example }] of chosen) await check(row, type, example);
    // Watches change nothing, and take a second each.
    if (row.path.includes('/watch/')) watches.push(check(row));
    else if (chosen.length === 0) await check(row);
  }
  await Promise.all(watches);
  expect(results).toEqual([]);
  expect(tried.length).toBeGreaterThan(130);
});
