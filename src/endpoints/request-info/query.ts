import { isUtf8 } from 'node:buffer';

const NONE: readonly string[] = Object.freeze([]);

/**
 * Query parameters with the rules of Go's url.ParseQuery: the order of values is kept, `+` is a space, and a pair with a bad escape or a
 * semicolon is dropped without an error.
 */
export class Query {
  readonly #values = new Map<string, string[]>();

  constructor(raw: string) {
    if (raw === '') return;
    for (const pair of raw.split('&')) this.#add(pair);
  }

  /** Whether there are no parameters at all. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** All values of a parameter, in order. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? NONE;
  }

  /** The first value; further values of a scalar parameter are ignored. */
  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  #add(pair: string): void {
    if (pair === '' || pair.includes(';')) return;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return;
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }
}

const EMPTY = new Query('');

/** Parses a raw query. Requests without a query share an empty instance. */
export function parseQuery(raw: string): Query {
  return raw === '' ? EMPTY : new Query(raw);
}

function decode(text: string): string | undefined {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

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

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
/** A byte that is not UTF-8 is represented by a lone surrogate in the range that starts here, so that error texts can show it. */
const ESCAPED_BYTE = 0xdc00;

/** Decodes percent escapes as UTF-8 bytes. Undefined if an escape is malformed. */
function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (BAD_ESCAPE.test(text)) return undefined;
  const bytes: number[] = [];
  const source = Buffer.from(text, 'utf8');
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at] ?? 0;
    if (byte === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(byte);
  }
  return textOf(Buffer.from(bytes));
}

function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    text += length === undefined ? String.fromCharCode(ESCAPED_BYTE + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}
