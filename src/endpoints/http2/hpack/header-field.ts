/**
 * How HTTP/2 treats a header of this name. All values of a `list` count, but only the first of an `ordinary` header, as with Go's
 * Header.Get.
 */
export type FieldKind = 'ordinary' | 'list' | 'cookie' | 'pseudo' | 'length' | 'te' | 'malformed';

/** Names with special rules; fields that manage HTTP/1.1 connections are malformed. */
const KINDS = new Map<string, FieldKind>([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map((name) => [name, 'malformed'] as const),
  ...[':method', ':path', ':scheme', ':authority'].map((name) => [name, 'pseudo'] as const),
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'baggage', 'cache-control', 'forwarded'].map(list),
  ...['tracestate', 'via', 'warning', 'x-forwarded-for'].map(list),
  ['content-length', 'length'],
  ['cookie', 'cookie'],
  ['te', 'te'],
]);

function list(name: string): readonly [string, FieldKind] {
  return [name, 'list'];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Go's rule (x/net/http/httpguts ValidHeaderFieldValue). */
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x08\x0a-\x1f\x7f]/;
/** Bytes that an entry counts beyond its text, in tables and lists (RFC 7541 section 4.1). */
export const OVERHEAD_BYTES = 32;

/** A header as received. It is examined once, although the connection's table may refer to it many times. */
export class HeaderField {
  readonly kind: FieldKind;
  readonly size: number;
  /** The part of the kind that depends only on the name. */
  readonly kindOfName: FieldKind;

  /** `kindOfName` may be taken from a field with the same name, which saves examining the name again. */
  constructor(
    readonly name: string,
    readonly value: string,
    kindOfName = nameKind(name),
  ) {
    this.size = name.length + value.length + OVERHEAD_BYTES;
    this.kindOfName = kindOfName;
    this.kind = withValue(kindOfName, value);
  }
}

function nameKind(name: string): FieldKind {
  return KINDS.get(name) ?? (TOKEN.test(name) ? 'ordinary' : 'malformed');
}

function withValue(kind: FieldKind, value: string): FieldKind {
  if (CONTROL_CHARACTER.test(value)) return 'malformed';
  if (kind === 'te') return value.toLowerCase() === 'trailers' ? 'ordinary' : 'malformed';
  return kind;
}

/** Names and values of RFC 7541 appendix A, in its order; index 1 is the first. */
export const STATIC_TABLE: readonly (readonly [name: string, value: string])[] = `
:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', ...words] = line.split(' ');
    return [name, words.join(' ')];
  });
