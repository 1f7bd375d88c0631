import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderField } from './hpack/header-field.js';

/** The headers of a request, in the form that node:http uses. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** By name, including pseudo-headers. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  /** Announced length of the body; -1 if it is not announced. */
  readonly length: number;
}

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const LENGTH = /^\d{1,15}$/;

/** Returns undefined for a request that is malformed by RFC 9113 sections 8.2 and 8.3. */
export function requestHead(fields: readonly HeaderField[]): RequestHead | undefined {
  const headers = Object.create(null) as Record<string, string>;
  const rawHeaders: string[] = [];
  let ordinary = false;
  for (const { kind, name, value } of fields) {
    if (kind === 'pseudo' ? ordinary : kind === 'malformed') return undefined;
    if (kind !== 'pseudo') ordinary = true;
    rawHeaders.push(name, value);
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (kind === 'list') headers[name] = `${before}, ${value}`;
    else if (kind === 'cookie') headers[name] = `${before}; ${value}`;
    else if (kind === 'pseudo' || (kind === 'length' && before !== value)) return undefined;
  }
  return completeHead(headers, rawHeaders);
}

function completeHead(headers: Record<string, string>, rawHeaders: readonly string[]): RequestHead | undefined {
  const { ':method': method, ':path': url, ':scheme': scheme, 'content-length': announced } = headers;
  // CONNECT is for proxies; it has neither scheme nor path.
  if (!method || scheme === undefined || !url || !METHOD.test(method) || method === 'CONNECT') return undefined;
  // User information is not allowed in :authority (RFC 9113 section 8.3.1).
  if (headers[':authority']?.includes('@')) return undefined;
  if (!url.startsWith('/') && !(url === '*' && method === 'OPTIONS')) return undefined;
  if (announced !== undefined && !LENGTH.test(announced)) return undefined;
  return { method, url, headers, rawHeaders, length: announced === undefined ? -1 : Number(announced) };
}

/** Whether the fields are valid trailers (RFC 9113 section 8.1). Trailers are not kept. */
export function areTrailers(fields: readonly HeaderField[]): boolean {
  return fields.every(({ kind }) => kind !== 'pseudo' && kind !== 'malformed');
}
