import { badRequest } from '../apimachinery/errors/status-errors.js';

const VERSION = 'meta.k8s.io/v1';
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Where a paged list goes on (upstream: apiserver pkg/storage/continue.go). On the wire it is unpadded base64url of compact JSON
 * `{"v":"meta.k8s.io/v1","rv":N,"start":"name\u0000"}`.
 */
export interface ContinueToken {
  /** The snapshot that all pages show; negative: go on with the newest state. Never 0. */
  readonly revision: bigint;
  /** First key of the page, inclusive and relative to the list's range; ListOptions.start. */
  readonly start: string;
}

/** The first key behind this one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

export function encodeContinueToken(token: { revision: bigint | number; start: string }): string {
  const json = `{"v":"${VERSION}","rv":${token.revision},"start":${JSON.stringify(token.start)}}`;
  return Buffer.from(json, 'utf8').toString('base64url');
}

/** Reads a token that a client sent; what is wrong with it is a 400 with upstream's text. */
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

/** Go's RawURLEncoding: line breaks are skipped, padding is an error, the error names the byte. */
function decodeBase64Url(text: string): string {
  const bad = /[^A-Za-z0-9_\-\r\n]/.exec(text);
  if (bad) throw invalidToken(`illegal base64 data at input byte ${bad.index}`);
  const digits = text.replace(/[\r\n]/g, '');
  if (digits.length % 4 === 1) throw invalidToken(`illegal base64 data at input byte ${text.length - 1}`);
  return Buffer.from(digits, 'base64url').toString('utf8');
}

interface TokenFields {
  v: string;
  rv: bigint;
  start: string;
}

function parseFields(json: string): TokenFields {
  const value = parseJson(json);
  if (value === null) return { v: '', rv: 0n, start: '' };
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidToken('json: the token must be an object');
  const { v, rv, start } = value as Record<string, unknown>;
  return { v: stringField('v', v), rv: integerField(rv), start: stringField('start', start) };
}

/** Makes `rv` a bigint where it is written as an integer, since it may pass the range of exact numbers. */
function parseJson(json: string): unknown {
  const exact = (key: string, value: unknown, context?: { source?: string }): unknown =>
    key === 'rv' && typeof value === 'number' && /^-?[0-9]+$/.test(context?.source ?? '') ? BigInt(context?.source ?? 0) : value;
  try {
    return JSON.parse(json, exact);
  } catch {
    throw invalidToken('json: the token is not valid JSON');
  }
}

function stringField(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw invalidToken(`json: field ${name} must be a string`);
  return value;
}

function integerField(value: unknown): bigint {
  if (value === undefined || value === null) return 0n;
  if (typeof value !== 'bigint' || value > MAX_INT64 || value < -MAX_INT64 - 1n) {
    throw invalidToken('json: field rv must be a 64-bit integer');
  }
  return value;
}

/** Refuses whatever could name a key outside the list's range: empty, `.` and `..` segments. Drops one leading slash. */
function cleanStart(start: string): string {
  const key = start.startsWith('/') ? start.slice(1) : start;
  const clean = key === '' || key.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!clean) throw invalidToken(start);
  return key;
}
