import { percentDecode } from './percent-decode.js';

/** A request target, taken apart as Go's net/url does: the path decoded, the query still as it came. */
export interface RequestUrl {
  readonly path: string;
  /** What stands between its slashes, the outer ones trimmed. */
  readonly segments: readonly string[];
  /** Without the question mark; '' where there is none. */
  readonly rawQuery: string;
}

/** Undefined where the path has a malformed escape; such a request gets a 400 before anything else. */
export function parseRequestUrl(target: string): RequestUrl | undefined {
  const local = target.charCodeAt(0) === 47 ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  const rawPath = mark < 0 ? local : local.slice(0, mark);
  const rawQuery = mark < 0 ? '' : local.slice(mark + 1);
  const path = percentDecode(rawPath);
  return path === undefined ? undefined : { path, segments: splitPath(path), rawQuery };
}

/** The absolute form `GET https://host/path` names its path behind the host. */
function withoutOrigin(target: string): string {
  const match = /^[a-z]+:\/\/[^/?]*(.*)$/i.exec(target);
  return match ? match[1] || '/' : target;
}

/** The URL of requests whose own cannot be parsed. */
export const ROOT_URL: RequestUrl = Object.freeze({ path: '/', segments: [], rawQuery: '' });

/** Path segments between the outer slashes, as upstream splits them (endpoints/request/requestinfo.go). */
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
