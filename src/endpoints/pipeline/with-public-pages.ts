import { ANONYMOUS } from '../../auth/authentication/authenticator.js';
import type { RouteTable } from '../routing/route-table.js';
import type { Filter } from './filter.js';

/** Opens public pages, such as the files of Swagger UI, to everybody: they take their seat as anonymous, whatever credentials come with them. */
export function withPublicPages(routes: RouteTable): Filter {
  return (next) => (request) => {
    const { info, url } = request;
    if (!info.isResourceRequest && (routes.isPublic(url.path) || routes.landingFor(request) !== undefined)) request.openToAll(ANONYMOUS);
    next(request);
  };
}
