import { programFolder } from '../../settings/program-files.js';
import type { OpenApiDocument } from '../openapi/openapi-documents.js';
import { type SharedDocumentOptions, SharedDocument } from '../response/shared-document.js';
import { swaggerInitScript, swaggerPage } from './swagger-page.js';

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
export function swaggerUiFiles(api: OpenApiDocument): Map<string, SharedDocument> {
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
