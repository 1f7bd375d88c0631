/** Writes DER for certificates of every shape, wrong ones included. */

/** An element with this tag byte; several contents are joined. */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, content]);
}

export const sequence = (...contents: readonly Buffer[]): Buffer => element(0x30, ...contents);
export const set = (...contents: readonly Buffer[]): Buffer => element(0x31, ...contents);
export const octets = (content: Buffer): Buffer => element(0x04, content);
/** A BIT STRING without unused bits. */
export const bits = (content: Buffer): Buffer => element(0x03, Buffer.from([0]), content);
export const TRUE = Buffer.from('0101ff', 'hex');
export const NULL = Buffer.from('0500', 'hex');

export function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return element(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, ...[first * 40 + second, ...rest].map(base128));
}

function base128(value: number): Buffer {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) | 0x80);
  return Buffer.from(digits);
}

/** The types of strings in names, by their tag bytes. */
export const STRINGS = { utf8: 12, numeric: 18, printable: 19, t61: 20, ia5: 22, visible: 26, universal: 28, bmp: 30 } as const;

export function string(type: keyof typeof STRINGS, value: string | Buffer): Buffer {
  return element(STRINGS[type], Buffer.isBuffer(value) ? value : Buffer.from(value, 'utf8'));
}

/** An attribute of a name. */
export const attribute = (type: string, value: Buffer): Buffer => sequence(oid(type), value);

/** A name; each argument is one relative name, an attribute or several. */
export function nameOf(...parts: readonly (Buffer | readonly Buffer[])[]): Buffer {
  return sequence(...parts.map((part) => (Buffer.isBuffer(part) ? set(part) : set(...part))));
}

const CN = '2.5.4.3';
const O = '2.5.4.10';
export const cn = (value: string | Buffer, type: keyof typeof STRINGS = 'utf8'): Buffer => attribute(CN, string(type, value));
export const o = (value: string | Buffer, type: keyof typeof STRINGS = 'utf8'): Buffer => attribute(O, string(type, value));

/** A UTCTime, or with four digits of the year a GeneralizedTime. */
export function time(text: string): Buffer {
  return element(/^\d{14}/.test(text) ? 0x18 : 0x17, Buffer.from(text));
}

export function extension(type: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(type), ...(critical ? [TRUE] : []), octets(value));
}

/** A GeneralName by its context tag; directory names and other names are constructed. */
export const general = {
  other: (type: string, value: Buffer) => element(0xa0, oid(type), element(0xa0, value)),
  email: (text: string) => element(0x81, Buffer.from(text)),
  dns: (text: string) => element(0x82, Buffer.from(text)),
  directory: (name: Buffer) => element(0xa4, name),
  uri: (text: string) => element(0x86, Buffer.from(text)),
  ip: (...bytes: number[]) => element(0x87, Buffer.from(bytes)),
  registered: (type: string) => element(0x88, oid(type).subarray(2)),
};

export const basicConstraints = (pathLength?: number, critical = true): Buffer =>
  extension('2.5.29.19', critical, sequence(TRUE, ...(pathLength === undefined ? [] : [integer(pathLength)])));
export const alternatives = (critical: boolean, ...names: readonly Buffer[]): Buffer =>
  extension('2.5.29.17', critical, sequence(...names));
export const usages = (critical: boolean, ...types: readonly string[]): Buffer =>
  extension('2.5.29.37', critical, sequence(...types.map(oid)));
/** The bits of a key usage: 0x80 digitalSignature, 0x04 keyCertSign. */
export const keyUsage = (byte: number): Buffer =>
  extension('2.5.29.15', true, element(0x03, Buffer.from([byte === 0x80 ? 7 : byte === 0x04 ? 2 : 0, byte])));

export interface Subtrees {
  readonly permitted?: readonly Buffer[];
  readonly excluded?: readonly Buffer[];
  readonly critical?: boolean;
}
export function nameConstraints({ permitted = [], excluded = [], critical = true }: Subtrees): Buffer {
  const subtrees = (tag: number, list: readonly Buffer[]) =>
    list.length === 0 ? [] : [element(tag, ...list.map((base) => sequence(base)))];
  return extension('2.5.29.30', critical, sequence(...subtrees(0xa0, permitted), ...subtrees(0xa1, excluded)));
}
