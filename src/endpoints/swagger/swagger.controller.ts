import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { programFolder } from '../../settings/program-files.js';
import { type OpenApiDocument, OpenApiDocuments } from '../openapi/openapi-documents.js';
import { RequestPipeline } from '../pipeline/request-pipeline.js';
import { type SharedDocumentOptions, SharedDocument } from '../response/shared-document.js';
import { RouteTable } from '../routing/route-table.js';
import { ServingSettings } from '../settings/serving.settings.js';

const ROOT = '/swagger';

/** Swagger UI at /swagger. */
@Controller('swagger')
export class SwaggerController {
  readonly #files: ReadonlyMap<string, SharedDocument>;

  constructor(
    private readonly pipeline: RequestPipeline,
    routes: RouteTable,
    { swaggerUi }: ServingSettings,
    { readers }: OpenApiDocuments,
  ) {
    this.#files = swaggerUi ? swaggerUiFiles(readers) : new Map();
    for (const path of this.#files.keys()) routes.page(ROOT + path, path === '' ? ROOT : `${ROOT}/-`);
  }

  @Get(['', ':file'])
  file(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.#files.get(request.url.path.slice(ROOT.length))?.serve(request));
  }
}

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const IMAGE = 'image/png';

/** The build copies the files that the page loads from the package swagger-ui-dist, which installs a script that reports installations. */
const COPIED = programFolder('dist/swagger-ui');
const PACKAGED: readonly (readonly [file: string, mediaType: string])[] = [
  ['swagger-ui-bundle.js', SCRIPT],
  ['swagger-ui-standalone-preset.js', SCRIPT],
  ['swagger-ui.css', STYLE],
  ['favicon-16x16.png', IMAGE],
  ['favicon-32x32.png', IMAGE],
];

/** The page runs only its own scripts, connects only to this server, and cannot be framed. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The files of Swagger UI by their paths below /swagger, all from this machine, read or made on first use. They need no token: a browser
 * sends none when it loads a page, and there is nothing secret in them.
 */
function swaggerUiFiles(api: OpenApiDocument): Map<string, SharedDocument> {
  const below = page('./swagger/');
  const beside = page('./');
  const files: [string, SharedDocument][] = [
    ['', below],
    ['/', beside],
    ['/index.html', beside],
    ['/openapi.json', file({ mediaType: 'application/json', make: () => api.json })],
    ['/swagger-ui-init.js', file({ mediaType: SCRIPT, make: () => swaggerInitScript('openapi.json') })],
    ...PACKAGED.map(([name, mediaType]): [string, SharedDocument] => {
      const make = (): Buffer => COPIED.read(name);
      return [`/${name}`, file({ mediaType, make, compressible: mediaType !== IMAGE })];
    }),
  ];
  return new Map(files);
}

/** `base`: the URL of its files, relative to the page. */
function page(base: string): SharedDocument {
  return file({ mediaType: HTML, make: () => swaggerPage('Coordination API server', base) });
}

function file(options: SharedDocumentOptions): SharedDocument {
  return new SharedDocument({ ...options, headers: { ...HEADERS, 'cache-control': 'no-cache' } });
}

/** The page of Swagger UI. `base` is the URL of its files, with a trailing slash. It contains nothing from clients. */
function swaggerPage(title: string, base: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="stylesheet" href="${base}swagger-ui.css">
  <link rel="icon" type="image/png" href="${base}favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="${base}favicon-16x16.png" sizes="16x16">
  <style>
    html { box-sizing: border-box; overflow-y: scroll; }
    *, *::before, *::after { box-sizing: inherit; }
    body { margin: 0; background: #fafafa; }
    .swagger-ui .topbar .download-url-wrapper { display: none; }
    @media (max-width: 640px) {
      .swagger-ui .opblock-tag { flex-wrap: wrap; }
      .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 0; }
    }
  </style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}swagger-ui-standalone-preset.js"></script>
<script src="${base}swagger-ui-init.js"></script>
</body>
</html>
`;
}

const FILTER_BY_TEXT = `/** Finds tags by all that is shown of them and of their operations. */
const filterByText = () => ({
  fn: {
    opsFilter: (tags, phrase) => {
      const wanted = phrase.toLowerCase();
      const text = (tag, name) =>
        [name, tag.getIn(['tagDetails', 'description']), ...tag.get('operations').map((each) =>
          [each.get('path'), each.get('method'), each.getIn(['operation', 'summary'])].join(' '))].join(' ');
      return tags.filter((tag, name) => text(tag, name).toLowerCase().includes(wanted));
    },
  },
});
`;

/** The script that starts Swagger UI with the document at the given URL. */
function swaggerInitScript(document: string): string {
  const options = {
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
    deepLinking: true,
    filter: true,
  };
  return `const KEPT = 'coordination-apiserver.token';

/** Keeps the token until the tab is closed: another tab, or the next day's, has to ask for it. */
const tokenOfTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          const { value } = given.BearerToken ?? {};
          if (typeof value === 'string') sessionStorage.setItem(KEPT, value);
          return authorize(given);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(KEPT);
          return logout(names);
        },
      },
    },
  },
});

${FILTER_BY_TEXT}
${WORKING_EXAMPLES}
const url = new URL(${JSON.stringify(document)}, document.currentScript.src).href;
window.addEventListener('load', () => {
  window.ui = SwaggerUIBundle({
    ...${JSON.stringify(options)},
    url,
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl, tokenOfTab, filterByText],
    onComplete: () => {
      const token = sessionStorage.getItem(KEPT);
      if (token !== null) window.ui.preauthorizeApiKey('BearerToken', token);
      // Leases are the first; an address with a hash opens what it names.
      if (location.hash === '') window.ui.layoutActions.show(['operations-tag', window.ui.specSelectors.specJson().getIn(['tags', 0, 'name'])], true);
    },
    ...workingExamples,
    layout: 'StandaloneLayout',
  });
});
`;
}

/** Part of the page's script: what makes the examples work from top to bottom. */
const WORKING_EXAMPLES = `/** The resource of an operation, and its place among the resource's operations: an object is created, used, and deleted. */
const placeOf = (operation) => {
  const [path, method] = [operation.get('path'), operation.get('method')];
  const [, part] = /\\{name\\}(\\/.+)?$/.exec(path) ?? [];
  const whole = path.endsWith('{name}') ? { get: 3, patch: 4, put: 5, delete: 7 } : { get: 1, post: 2, delete: 8 };
  return {
    resource: path.replace('/watch/', '/').replace('/namespaces/{namespace}/', '/').replace(/\\/\\{name\\}.*$/, ''),
    step: path.includes('/watch/') ? 9 : part === undefined ? whole[method] : 6,
    path,
  };
};
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
const byPlace = (first, second) => {
  const [one, other] = [placeOf(first), placeOf(second)];
  return compare(one.resource, other.resource) || compare(one.step, other.step) || compare(one.path, other.path);
};

/** The resourceVersions that were read, by the path of the object: a replacement sends the one that it replaces. */
const versions = new Map();
const pathOf = (url) => new URL(url, location.href).pathname;
const rememberVersion = (response) => {
  const { name, resourceVersion } = response.obj?.metadata ?? {};
  const path = pathOf(response.url);
  if (name && resourceVersion) versions.set(path.endsWith('/' + name) ? path : path + '/' + name, resourceVersion);
  return response;
};
const addVersion = (request) => {
  const path = pathOf(request.url);
  if (request.method === 'DELETE') versions.delete(path);
  const version = versions.get(path);
  const isWithout = typeof request.body === 'string' && !request.body.includes('resourceVersion');
  if (request.method !== 'PUT' || version === undefined || !isWithout) return request;
  request.body = request.body
    .replace(/"metadata": *\\{/, '$&"resourceVersion":"' + version + '",')
    .replace(/^metadata:$/m, '$&\\n  resourceVersion: "' + version + '"');
  return request;
};
const workingExamples = { operationsSorter: byPlace, requestInterceptor: addVersion, responseInterceptor: rememberVersion };
`;
