import { decode as decodeCbor } from 'cborg';
import { parse as parseYaml } from 'yaml';
import type { Exchange, FuzzAnswer, FuzzRequest } from './fuzz-request.js';

/** Texts of a runtime or a database that must not reach a client. */
const LEAKS: readonly RegExp[] = [
  /\n\s+at \S+ ?\(?[^\n]*:\d+:\d+\)?/,
  /\b(TypeError|RangeError|SyntaxError|ReferenceError)\b/,
  /is not a function|Cannot read propert|reading '|is not iterable|Cannot convert|Invalid array length|Maximum call stack/,
  /node_modules|node:internal|\/dist\/[a-z]/,
  /Unexpected (token|end of JSON|non-whitespace)|in JSON at position|Unterminated string in JSON|Bad control character/,
  /\b(select|insert into|delete from) [^"\n]*\b(from|values|where)\b|SQLSTATE|\b(22P05|22021|42P01|23505)\b|invalid byte sequence for encoding/i,
];

/** Headers that a response may have; any other was injected by the request. */
const HEADERS = new Set([
  ':status', 'accept-ranges', 'allow', 'audit-id', 'cache-control', 'connection', 'content-encoding', 'content-length', 'content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy',
  'content-type', 'date', 'etag', 'expires', 'keep-alive', 'last-modified', 'location', 'referrer-policy', 'retry-after', 'transfer-encoding', 'upgrade', 'vary',
  'warning', 'www-authenticate', 'x-content-type-options', 'x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid', 'x-varied-accept',
]); // prettier-ignore

/** A response in progress is cut off when the client's time limit is reached. */
function mayFail(request: FuzzRequest, failure: string): boolean {
  return request.hostile || failure.startsWith('not sent') || (request.target.includes('timeout=') && failure.startsWith('stream error'));
}

/** Violations in a response, one text each; empty for a correct one. */
export function violationsOf(request: FuzzRequest, answer: Exchange): string[] {
  if ('failure' in answer) return mayFail(request, answer.failure) ? [] : [answer.failure];
  const found = [...wrongStatus(request, answer), ...foreignHeaders(answer), ...leaks(answer)];
  if (!answer.open && request.method !== 'HEAD') found.push(...wrongBody(request, answer));
  return found;
}

function wrongStatus(request: FuzzRequest, { status, body }: FuzzAnswer): string[] {
  if (status >= 200 && status < 500) return [];
  const text = body.toString('utf8');
  const expected = status === 504 && (text.includes('Too large resource version') || request.target.includes('timeout'));
  return expected ? [] : [`status ${status}: ${text.slice(0, 300)}`];
}

function foreignHeaders({ headers }: FuzzAnswer): string[] {
  return Object.keys(headers)
    .filter((name) => !HEADERS.has(name))
    .map((name) => `unexpected header ${name}`);
}

function leaks({ status, body }: FuzzAnswer): string[] {
  if (status < 400) return [];
  const text = body.toString('utf8');
  return LEAKS.filter((pattern) => pattern.test(text)).map((pattern) => `leak ${String(pattern.exec(text)?.[0])} in ${text.slice(0, 400)}`);
}

function wrongBody({ target }: FuzzRequest, { status, headers, body }: FuzzAnswer): string[] {
  const type = String(headers['content-type'] ?? '');
  if (headers['content-encoding'] !== undefined || status === 304 || body.length === 0) return [];
  // The body of an ended watch consists of many documents.
  if (status < 400 && target.includes('watch')) return [];
  try {
    if (/^application\/json/.test(type)) return checkObject(status, JSON.parse(body.toString('utf8')));
    if (/^application\/yaml/.test(type)) {
      return checkObject(status, parseYaml(body.toString('utf8'), { logLevel: 'error', maxAliasCount: -1 }));
    }
    if (/^application\/cbor(;|$)/.test(type)) {
      return checkObject(status, plain(decodeCbor(body.subarray(3), { useMaps: true, rejectDuplicateMapKeys: true })));
    }
  } catch (error) {
    return [`body is no ${type}: ${(error as Error).message} in ${body.toString('utf8').slice(0, 300)}`];
  }
  return [];
}

/** Upstream's CBOR encodes strings as byte strings, including keys. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, item]) => [String(plain(key)), plain(item)]));
}

function checkObject(code: number, value: unknown): string[] {
  if (code < 400) return [];
  const { kind, apiVersion, status, code: own, message } = (value ?? {}) as Record<string, unknown>;
  const good = kind === 'Status' && apiVersion === 'v1' && status === 'Failure' && own === code && typeof message === 'string';
  return good ? [] : [`no well-formed Status for ${code}: ${JSON.stringify(value).slice(0, 300)}`];
}
