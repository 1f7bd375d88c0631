import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SwaggerModule } from '@nestjs/swagger';
import type { OpenApiDocument } from '../openapi/openapi-documents.js';
import type { RouteTable } from '../routing/route-table.js';

const PATH = '/swagger';

/** The page, and what it loads: its own script with the document in it, and files of the package swagger-ui-dist. */
const FILES = [
  '',
  '/',
  '/index.html',
  '/openapi.json',
  '/swagger-ui-init.js',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/swagger-ui.css',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
];

/** The page runs its own scripts alone and talks to this server alone; nobody shows it in a frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The paths of Swagger UI. They need no token: a browser sends none when it loads a page, and there is nothing secret in them. */
export function addSwaggerUiRoutes(routes: RouteTable): void {
  for (const file of FILES) routes.page(PATH + file, HEADERS);
}

/** Makes the application serve Swagger UI, with every file from this machine. The document is made when somebody looks at it. */
export function setUpSwaggerUi(app: NestFastifyApplication, document: OpenApiDocument): void {
  SwaggerModule.setup(PATH.slice(1), app, () => document.value as unknown as OpenAPIObject, {
    raw: ['json'],
    jsonDocumentUrl: `${PATH}/openapi.json`,
    customSiteTitle: 'Coordination API server',
    swaggerOptions: { docExpansion: 'none', defaultModelsExpandDepth: 0, displayRequestDuration: true, validatorUrl: null },
  });
}
