/** What HTTP/2 says of a header's name. */
export type FieldKind = 'ordinary' | 'single' | 'cookie' | 'pseudo' | 'length' | 'te' | 'malformed';

/** Names of fields by which HTTP/1.1 manages connections, and those that Node takes one value of: the first. */
const KINDS = new Map<string, FieldKind>([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map((name) => [name, 'malformed'] as const),
  ...[':method', ':path', ':scheme', ':authority'].map((name) => [name, 'pseudo'] as const),
  ...['age', 'authorization', 'content-encoding', 'content-language', 'content-location', 'content-range', 'content-type'].map(single),
  ...['date', 'etag', 'expires', 'from', 'host', 'if-match', 'if-modified-since', 'if-none-match', 'if-range'].map(single),
  ...['if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'origin', 'proxy-authorization', 'range'].map(single),
  ...['referer', 'retry-after', 'user-agent'].map(single),
  ['content-length', 'length'],
  ['cookie', 'cookie'],
  ['te', 'te'],
]);

function single(name: string): readonly [string, FieldKind] {
  return [name, 'single'];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Go's rule (x/net/http/httpguts ValidHeaderFieldValue). */
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x08\x0a-\x1f\x7f]/;
/** What an entry counts beside its bytes, in tables and lists (RFC 7541 section 4.1). */
const OVERHEAD_BYTES = 32;

/** A header as it came. It is looked at once; a table of the connection may name it again and again. */
export class HeaderField {
  readonly kind: FieldKind;
  readonly size: number;

  constructor(
    readonly name: string,
    readonly value: string,
  ) {
    this.size = name.length + value.length + OVERHEAD_BYTES;
    this.kind = kindOf(name, value);
  }
}

function kindOf(name: string, value: string): FieldKind {
  if (CONTROL_CHARACTER.test(value)) return 'malformed';
  // User information (RFC 9113 section 8.3.1).
  if (name === ':authority' && value.includes('@')) return 'malformed';
  const known = KINDS.get(name);
  if (known === 'te') return value.toLowerCase() === 'trailers' ? 'ordinary' : 'malformed';
  return known ?? (TOKEN.test(name) ? 'ordinary' : 'malformed');
}
