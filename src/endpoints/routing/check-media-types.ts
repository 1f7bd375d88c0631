import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Route } from './route.js';

/** Methods that may omit Content-Type although the route declares what it consumes. */
const BODYLESS = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']);

/**
 * The checks of upstream's router (go-restful route.go): the body's type, then whether any entry of Accept is literally one of the produced
 * types or the wildcard for all types; no other wildcard matches. Throws its 415 and 406, whose texts differ from those of the handlers.
 */
export function checkMediaTypes(route: Route, method: string, contentType: string | undefined, accept: string | undefined): void {
  if (route.consumes && !consumes(route.consumes, method, contentType)) {
    throw new ApiError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} });
  }
  if (route.produces && accept && !anyMatches(accept, route.produces)) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${route.produces.join(', ')}`;
    throw new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} });
  }
}

function consumes(types: readonly string[], method: string, contentType: string | undefined): boolean {
  if (!contentType) return BODYLESS.has(method) || types.includes('application/octet-stream');
  return anyMatches(contentType, types, false);
}

function anyMatches(header: string, types: readonly string[], wildcard = true): boolean {
  if (types.includes(header)) return true;
  return header.split(',').some((entry) => {
    const semicolon = entry.indexOf(';');
    const type = (semicolon < 0 ? entry : entry.slice(0, semicolon)).trim();
    return (wildcard && type === '*/*') || types.includes(type);
  });
}
