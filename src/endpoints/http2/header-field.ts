/**
 * What HTTP/2 says of a header's name. Of a `list` all values count, of an `ordinary` header the first one, as with Go's Header.Get.
 */
export type FieldKind = 'ordinary' | 'list' | 'cookie' | 'pseudo' | 'length' | 'te' | 'malformed';

/** Names with rules of their own; those of fields by which HTTP/1.1 manages connections are malformed. */
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
/** What an entry counts beside its bytes, in tables and lists (RFC 7541 section 4.1). */
export const OVERHEAD_BYTES = 32;

/** A header as it came. It is looked at once; a table of the connection may name it again and again. */
export class HeaderField {
  readonly kind: FieldKind;
  readonly size: number;
  /** What the name alone says. */
  readonly kindOfName: FieldKind;

  /** `kindOfName`: that of a field with the same name, which then is not looked at again. */
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
