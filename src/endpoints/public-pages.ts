import { Inject, Injectable } from '@nestjs/common';
import { dashboardPages } from './dashboard/dashboard-pages.js';
import { OpenApiDocuments } from './openapi/openapi-documents.js';
import type { ApiRequest } from './request/api-request.js';
import { ErrorWriters } from './response/error-writers.js';
import { sendNothing } from './response/send-response.js';
import type { ServedDocument } from './response/served-document.js';
import { documentServer, SERVED_DOCUMENTS } from './response/served-document.js';
import { RouteTable } from './routing/route-table.js';
import { HttpSettings } from './settings/http-settings.js';
import { swaggerUiFiles } from './swagger/swagger-ui.js';

type Serve = (request: ApiRequest) => Promise<void>;

/** Adds the routes of everything that is served from bytes that are the same for everybody: documents, Swagger UI, the dashboard. */
@Injectable()
export class PublicPages {
  constructor(
    routes: RouteTable,
    { swaggerUi, ui }: HttpSettings,
    { global: errors }: ErrorWriters,
    { readers }: OpenApiDocuments,
    @Inject(SERVED_DOCUMENTS) documents: readonly ServedDocument[],
  ) {
    const answering =
      (serve: Serve): Serve =>
      (request) =>
        serve(request).catch((error: unknown) => errors.write(request, error));
    for (const document of documents) routes.document(document.path, document.mediaType, answering(documentServer(document)));
    const dashboard = ui ? dashboardPages() : new Map<string, Serve>();
    for (const [path, serve] of dashboard) routes.page(path, answering(serve));
    if (dashboard.size > 0 || swaggerUi) routes.landing(redirectTo(dashboard.size > 0 ? 'ui/' : 'swagger'));
    if (!swaggerUi) return;
    for (const [path, file] of swaggerUiFiles(readers)) {
      const serve = answering((request) => file.serve(request));
      routes.page(path, serve);
    }
  }
}

/** Leads a browser that asks for `/` to a page. */
function redirectTo(location: string): Serve {
  return (request) => {
    sendNothing(request, 302, { location, vary: 'Accept', 'content-length': 0 });
    return Promise.resolve();
  };
}
