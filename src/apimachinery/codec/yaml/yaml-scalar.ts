import { DecodeError } from '../../errors/api-error.js';

/** The values of a scalar: those of JSON, with 64-bit integers. Floats that JSON cannot represent stay numbers. */
export type YamlScalar = string | number | bigint | boolean | null;

const TAG = 'tag:yaml.org,2002:';
const TRUE = ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'];
const FALSE = ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'];
const NULL = ['', '~', 'null', 'Null', 'NULL'];
const WORDS = new Map<string, YamlScalar>([
  ...TRUE.map((word) => [word, true] as const),
  ...FALSE.map((word) => [word, false] as const),
  ...NULL.map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

// eslint-disable-next-line security/detect-unsafe-regex -- each character fits one place only
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const TIMESTAMP =
  // eslint-disable-next-line security/detect-unsafe-regex -- repetitions stand side by side, none in another
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.,][0-9]+)?)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;

/**
 * Resolves a scalar as go-yaml v2 does (resolve.go): YAML 1.1 booleans, octal and binary integers, underscores. `plain` is false for quoted
 * and block scalars, which are strings unless tagged.
 */
export function resolveScalar(text: string, plain: boolean, tag: string | undefined): YamlScalar {
  if (tag === undefined) return plain ? resolvePlain(text) : text;
  if (!tag.startsWith(TAG)) return text;
  const short = tag.slice(TAG.length);
  if (short === 'str') return text;
  if (short === 'binary') return fromBase64(text);
  if (!['bool', 'int', 'float', 'null', 'timestamp'].includes(short)) return text;
  const value = resolvePlain(text);
  const actual = TIMESTAMP.test(text) && short === 'timestamp' ? 'timestamp' : typeName(value);
  if (actual === short) return value;
  if (short === 'float' && actual === 'int') return Number(value);
  throw new DecodeError(`yaml: cannot decode !!${actual} \`${text}\` as a !!${short}`);
}

// Sexagesimal numbers are strings here, and are numbers to other readers of YAML 1.1.
// eslint-disable-next-line security/detect-unsafe-regex -- a colon begins each repetition
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether every YAML reader resolves an unquoted text to a string. */
function readsAsString(text: string): boolean {
  return typeof resolvePlain(text) === 'string' && text !== '<<' && !TIMESTAMP.test(text) && !BASE_60.test(text);
}

function resolvePlain(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (text.startsWith('.')) return FLOAT.test(text) ? finite(Number(text), text) : text;
  if (!/^[-+0-9]/.test(text) || TIMESTAMP.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return resolveInteger(digits) ?? (FLOAT.test(digits) ? finite(Number(digits), text) : text);
}

/** The largest decimal number of 64 bits has as many digits. Reading one of a hundred thousand takes the square of that. */
const MAX_DIGITS = 20;

/** Go's ParseInt and ParseUint with base 0: a number beyond 64 bits is not an integer. */
function resolveInteger(digits: string): bigint | undefined {
  const match = INTEGER.exec(digits);
  if (match === null) return undefined;
  const [, sign = '', body = ''] = match;
  if (body.length > MAX_DIGITS && /^[1-9]/.test(body)) return undefined;
  const octal = /^0[0-7]+$/.test(body) ? `0o${body.slice(1)}` : body;
  const value = BigInt(octal) * (sign === '-' ? -1n : 1n);
  if (value < -(2n ** 63n) || value >= 2n ** 64n || (sign === '+' && value >= 2n ** 63n)) return undefined;
  return value;
}

function finite(value: number, text: string): YamlScalar {
  return Number.isFinite(value) ? value : text;
}

function fromBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  // eslint-disable-next-line security/detect-unsafe-regex -- repetitions have a fixed length
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw new DecodeError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}

function typeName(value: YamlScalar): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  return typeof value === 'boolean' ? 'bool' : 'float';
}

/** The style in which go-yaml writes a string. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

// Characters that go-yaml v2 escapes (yamlprivateh.go, is_printable), and the line breaks of YAML 1.1 other than \n.
const ESCAPED = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const SPACE_BEFORE_BREAK = / \n/;
const INDICATOR_AT_START = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n]|$)|---|\.\.\.)/;
const INDICATOR_WITHIN = /:(?:[ \t\n]|$)|[ \t\n]#/;

/**
 * The style that go-yaml v2 chooses for a text (encode.go, stringv; emitterc.go, select_scalar_style). `key`: for a key on the line of its
 * value.
 */
export function scalarStyle(text: string, key: boolean): ScalarStyle {
  if (ESCAPED.test(text)) return 'double';
  if (text.includes('\n')) return key || text.endsWith(' ') || SPACE_BEFORE_BREAK.test(text) ? 'double' : 'literal';
  if (!readsAsString(text)) return 'double';
  const needsQuotes = text.startsWith(' ') || text.endsWith(' ') || INDICATOR_AT_START.test(text) || INDICATOR_WITHIN.test(text);
  return needsQuotes ? 'single' : 'plain';
}

/** Whether a character appears as an escape sequence in double quotes. */
export const isEscaped = (char: string): boolean => char === '\n' || ESCAPED.test(char);
