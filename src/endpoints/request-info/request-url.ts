import { percentDecode } from './percent-decode.js';

/** A request target, split as by Go's net/url: the path is decoded, the query is not. */
export interface RequestUrl {
  readonly path: string;
  /** The path's segments between its slashes, without leading and trailing slashes. */
  readonly segments: readonly string[];
  /** Without the question mark; '' if there is none. */
  readonly rawQuery: string;
}

/** Undefined if the path has a malformed escape; such a request gets a 400 before anything else. */
export function parseRequestUrl(target: string): RequestUrl | undefined {
  const local = target.charCodeAt(0) === 47 ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  const rawPath = mark < 0 ? local : local.slice(0, mark);
  const rawQuery = mark < 0 ? '' : local.slice(mark + 1);
  const path = percentDecode(rawPath);
  return path === undefined ? undefined : { path, segments: splitPath(path), rawQuery };
}

/** The absolute form `GET https://host/path` contains the path after the host. */
function withoutOrigin(target: string): string {
  const match = /^[a-z]+:\/\/[^/?]*(.*)$/i.exec(target);
  return match ? match[1] || '/' : target;
}

/** The URL of requests whose own URL cannot be parsed. */
export const ROOT_URL: RequestUrl = Object.freeze({ path: '/', segments: [], rawQuery: '' });

/** Splits a path into its segments as upstream does (endpoints/request/requestinfo.go). */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start += 1;
  while (end > start && path.charCodeAt(end - 1) === 47) end -= 1;
  const segments: string[] = [];
  while (start < end) {
    const slash = path.indexOf('/', start);
    const stop = slash < 0 || slash > end ? end : slash;
    segments.push(path.slice(start, stop));
    start = stop + 1;
  }
  return segments;
}
