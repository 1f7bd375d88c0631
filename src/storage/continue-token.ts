import { syntaxError } from '../apimachinery/codec/json/json-syntax.js';
import { badRequest } from '../apimachinery/errors/status-errors.js';
import { objectPath } from './object-path.js';
import type { KeyRange, ObjectKey } from './object-store.js';

const VERSION = 'meta.k8s.io/v1';
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Where a paged list continues (upstream: apiserver pkg/storage/continue.go). On the wire it is unpadded base64url of compact JSON
 * `{"v":"meta.k8s.io/v1","rv":N,"start":"name\u0000"}`.
 */
export interface ContinueToken {
  /** The snapshot that all pages show; negative: continue with the newest state. Never 0. */
  readonly revision: bigint;
  /** First key of the page, inclusive and relative to the list's range; ListOptions.start. */
  readonly start: string;
}

/** The first key after this one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

/** Where a list of this range continues after a key (ListOptions.start): without the namespace if the range already fixes it. */
export function startAfter(range: KeyRange, key: ObjectKey): string {
  return keyAfter(range.namespace ? key.name : objectPath(key));
}

/** Encodes a token for clients. */
export function encodeContinueToken(token: { revision: bigint | number; start: string }): string {
  const json = `{"v":"${VERSION}","rv":${token.revision},"start":${JSON.stringify(token.start)}}`;
  return Buffer.from(json, 'utf8').toString('base64url');
}

/** Decodes a token from a client. Throws a 400 with upstream's text if it is invalid. */
export function decodeContinueToken(text: string): ContinueToken {
  const fields = parseFields(decodeBase64Url(text));
  if (fields.v !== VERSION) throw invalidToken(`server does not recognize this encoded version ${fields.v}`);
  if (fields.rv === 0n) throw invalidToken(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (fields.start === '') throw invalidToken(`encoded start key empty (version ${VERSION})`);
  return { revision: fields.rv, start: cleanStart(fields.start) };
}

function invalidToken(detail: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${detail}`);
}

/** Decodes like Go's RawURLEncoding: line breaks are skipped, padding is an error, and the error names the byte. */
function decodeBase64Url(text: string): Buffer {
  const bad = /[^A-Za-z0-9_\-\r\n]/.exec(text);
  if (bad) throw invalidToken(`illegal base64 data at input byte ${bad.index}`);
  const digits = text.replace(/[\r\n]/g, '');
  if (digits.length % 4 === 1) throw invalidToken(`illegal base64 data at input byte ${text.length - 1}`);
  return Buffer.from(digits, 'base64url');
}

interface TokenFields {
  v: string;
  rv: bigint;
  start: string;
}

/** Reports errors with the texts of Go's encoding/json. */
function parseFields(json: Buffer): TokenFields {
  const problem = syntaxError(json);
  if (problem !== undefined) throw invalidToken(problem);
  const { value, revision } = parseJson(json.toString('utf8'));
  if (value === null) return { v: '', rv: 0n, start: '' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidToken(cannotUnmarshal(kindOf(value), 'value of type storage.continueToken'));
  }
  const { v, rv, start } = value as Record<string, unknown>;
  return { v: stringField('v', v), rv: integerField(rv, revision), start: stringField('start', start) };
}

/** Also returns the source text of a numeric `rv`, which may exceed the safe integers. */
function parseJson(json: string): { value: unknown; revision: string } {
  let revision = '';
  const keep = (key: string, value: unknown, context?: { source?: string }): unknown => {
    if (key === 'rv' && typeof value === 'number') revision = context?.source ?? '';
    return value;
  };
  return { value: JSON.parse(json, keep), revision };
}

function stringField(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalidToken(cannotUnmarshal(kindOf(value), `struct field continueToken.${name} of type string`));
  return value;
}

function integerField(value: unknown, literal: string): bigint {
  if (value === undefined || value === null) return 0n;
  const number = typeof value === 'number' && /^-?[0-9]+$/.test(literal) ? BigInt(literal) : undefined;
  if (number !== undefined && number <= MAX_INT64 && number >= -MAX_INT64 - 1n) return number;
  const kind = typeof value === 'number' ? `number ${literal}` : kindOf(value);
  throw invalidToken(cannotUnmarshal(kind, 'struct field continueToken.rv of type int64'));
}

function cannotUnmarshal(kind: string, target: string): string {
  return `json: cannot unmarshal ${kind} into Go ${target}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Rejects keys that could point outside the list's range: empty, `.` and `..` segments. Drops one leading slash. */
function cleanStart(start: string): string {
  const key = start.startsWith('/') ? start.slice(1) : start;
  const clean = key === '' || key.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!clean) throw invalidToken(start);
  return key;
}
