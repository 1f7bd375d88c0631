/** PostgreSQL's protocol, version 3, as far as pg uses it. Messages of the server are built as Latin-1 text. */
export type Value = string | number | boolean | null | readonly (string | number)[] | Json;
export type Row = Readonly<Record<string, Value>>;
/** A parameter: text, or an array in the binary format. */
export type Parameter = string | null | readonly (string | number | boolean | null)[];

/** A value of the type json. */
export class Json {
  constructor(readonly text: string) {}
}

export type FrontendMessage =
  | { readonly kind: 'startup' }
  | { readonly kind: 'query'; readonly text: string }
  | { readonly kind: 'parse'; readonly name: string; readonly text: string }
  | { readonly kind: 'bind'; readonly name: string; readonly values: Parameter[] }
  | { readonly kind: 'sync' }
  | { readonly kind: 'terminate' }
  | { readonly kind: 'other' };

/** Parses bytes that consist of complete messages. */
export function* frontendMessages(bytes: Buffer, started: boolean): Generator<FrontendMessage> {
  let at = 0;
  if (!started) {
    at = bytes.readInt32BE(0);
    yield { kind: 'startup' };
  }
  while (at < bytes.length) {
    const code = String.fromCharCode(bytes[at]!);
    const end = at + 1 + bytes.readInt32BE(at + 1);
    yield frontendMessage(code, new Fields(bytes, at + 5));
    at = end;
  }
}

function frontendMessage(code: string, fields: Fields): FrontendMessage {
  switch (code) {
    case 'Q':
      return { kind: 'query', text: fields.text() };
    case 'P':
      return { kind: 'parse', name: fields.text(), text: fields.text() };
    case 'B':
      return bind(fields);
    case 'S':
      return { kind: 'sync' };
    case 'X':
      return { kind: 'terminate' };
    case 'D':
    case 'E':
      return { kind: 'other' };
    default:
      throw new Error(`a message of the kind ${code} is not simulated`);
  }
}

function bind(fields: Fields): FrontendMessage {
  fields.text();
  const name = fields.text();
  const formats = Array.from({ length: fields.int16() }, () => fields.int16());
  const count = fields.int16();
  const values: Parameter[] = [];
  for (let i = 0; i < count; i++) {
    const value = fields.bytes();
    values.push(value === null ? null : formats[i] === 1 ? binaryArray(value) : value.toString('utf8'));
  }
  return { kind: 'bind', name, values };
}

class Fields {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  bytes(): Buffer | null {
    const length = this.#bytes.readInt32BE(this.#at);
    this.#at += 4;
    if (length < 0) return null;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

const ELEMENTS: Readonly<Record<number, (bytes: Buffer) => string | number | boolean>> = {
  16: (bytes) => bytes[0] === 1,
  18: (bytes) => String.fromCharCode(bytes[0]!),
  20: (bytes) => Number(bytes.readBigInt64BE(0)),
  25: (bytes) => bytes.toString('utf8'),
};

function binaryArray(bytes: Buffer): (string | number | boolean | null)[] {
  if (bytes.readInt32BE(0) === 0) return [];
  const decode = ELEMENTS[bytes.readInt32BE(8)]!;
  const values: (string | number | boolean | null)[] = [];
  for (let at = 20; at < bytes.length;) {
    const length = bytes.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? null : decode(bytes.subarray(at, at + length)));
    at += Math.max(0, length);
  }
  return values;
}

const OIDS = { boolean: 16, number: 20, string: 25, float: 701, array: 1016, json: 114 };

export function authenticationOk(): string {
  return message('R', int32(0));
}

export function backendKey(pid: number): string {
  return message('K', int32(pid) + int32(0));
}

export function readyForQuery(status: 'I' | 'T' | 'E'): string {
  return message('Z', status);
}

export function prepared(parsed: boolean): string {
  return (parsed ? message('1', '') : '') + message('2', '');
}

export function rows(all: readonly Row[]): string {
  const columns = Object.keys(all[0] ?? {});
  return rowDescription(all, columns) + all.map((row) => dataRow(row, columns)).join('');
}

export function commandComplete(count: number): string {
  return message('C', `SELECT ${count}\0`);
}

export function errorResponse(code: string, text: string): string {
  return message('E', `SERROR\0VERROR\0C${code}\0M${text}\0\0`);
}

export function notification(pid: number, channel: string): string {
  return message('A', `${int32(pid)}${channel}\0\0`);
}

export function bytesOf(messages: string): Buffer {
  return Buffer.from(messages, 'latin1');
}

function rowDescription(all: readonly Row[], columns: readonly string[]): string {
  const fields = columns.map((name) => `${name}\0${int32(0)}${int16(0)}${int32(oidOf(all, name))}${int16(-1)}${int32(-1)}${int16(0)}`);
  return message('T', int16(columns.length) + fields.join(''));
}

function oidOf(all: readonly Row[], column: string): number {
  const value = all.find((row) => row[column] !== null)?.[column];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? OIDS.number : OIDS.float;
  if (typeof value === 'boolean') return OIDS.boolean;
  if (value instanceof Json) return OIDS.json;
  return Array.isArray(value) ? OIDS.array : OIDS.string;
}

function dataRow(row: Row, columns: readonly string[]): string {
  return message('D', int16(columns.length) + columns.map((name) => field(row[name] ?? null)).join(''));
}

function field(value: Value): string {
  if (value === null) return int32(-1);
  const text = textOf(value);
  return int32(text.length) + text;
}

function textOf(value: NonNullable<Value>): string {
  if (value instanceof Json) return value.text;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'object' ? `{${value.join(',')}}` : String(value);
}

function message(code: string, content: string): string {
  return code + int32(content.length + 4) + content;
}

function int32(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

function int16(value: number): string {
  return String.fromCharCode((value >>> 8) & 255, value & 255);
}
