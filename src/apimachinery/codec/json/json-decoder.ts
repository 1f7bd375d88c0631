import { DecodeError } from '../../errors/api-error.js';
import { goUtf8 } from '../../go/go-string.js';
import { canonicalize } from '../../schema/canonical-object.js';
import type { StructType } from '../../schema/struct-type.js';
import { type MemberCount, OFF, compileCheck } from './compile-check.js';
import { ExactDecoder } from './exact-decoder.js';
import { syntaxError } from './json-syntax.js';

interface JsonDecodeOptions {
  /** Whether to report unknown and duplicate fields; this costs nothing if there are none. */
  readonly strict: boolean;
}

interface JsonDecoded {
  /** In canonical form (canonical-object.ts). */
  readonly object: Record<string, unknown>;
  /** `unknown field "spec.foo"`, `duplicate field "spec.x"`: unique, in document order, at most 100. */
  readonly strictErrors: readonly string[];
}

/** Decodes JSON text to canonical objects of one schema. Compiled once per type. */
export interface JsonDecoder {
  /** Throws DecodeError or TimeParseError (`isDecodeError`), with Go's texts. */
  (text: string | Buffer, options: JsonDecodeOptions): JsonDecoded;
  /** The object, if the text needs neither warnings nor errors; undefined if it needs the full decoder. */
  readonly tryFast: (text: string) => Record<string, unknown> | undefined;
}

const NONE: readonly string[] = [];
const decoders = new WeakMap<StructType, JsonDecoder>();

/**
 * Compiles the decoder of a type. It behaves like sigs.k8s.io/json: field names are case-sensitive, unknown fields are dropped, and
 * duplicate objects are merged. Text that JSON.parse reads as Go does takes one pass; everything else goes to the exact decoder.
 */
export function compileDecoder(schema: StructType): JsonDecoder {
  let decoder = decoders.get(schema);
  if (decoder === undefined) decoders.set(schema, (decoder = makeDecoder(schema)));
  return decoder;
}

function makeDecoder(schema: StructType): JsonDecoder {
  const check = compileCheck(schema);
  const tryFast = (text: string): Record<string, unknown> | undefined => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return undefined;
    }
    const scan = scanText(text);
    if (!scan.plain) return undefined;
    const count: MemberCount = { members: 0 };
    const object = check(parsed, count);
    return object === OFF || count.members !== scan.members ? undefined : (object as Record<string, unknown>);
  };
  const decode = (body: string | Buffer, options: JsonDecodeOptions): JsonDecoded => {
    const text = decodeText(body);
    const object = tryFast(text);
    return object !== undefined ? { object, strictErrors: NONE } : decodeExactly(schema, text, body, options);
  };
  return Object.assign(decode, { tryFast });
}

/** Decodes UTF-8; each invalid byte becomes U+FFFD, as in Go. */
export function decodeText(body: string | Buffer): string {
  if (typeof body === 'string') return body;
  const text = body.toString('utf8');
  return text.includes('\ufffd') ? goUtf8(body) : text;
}

function decodeExactly(schema: StructType, text: string, body: string | Buffer, options: JsonDecodeOptions): JsonDecoded {
  const problem = syntaxError(typeof body === 'string' ? Buffer.from(body) : body);
  if (problem !== undefined) throw new DecodeError(problem);
  const { object, strictErrors } = new ExactDecoder(text).decode(schema);
  return { object: canonicalize(schema, object), strictErrors: options.strict ? strictErrors : NONE };
}

/** Far more levels than objects need; deeper text goes to the exact decoder, which applies the real limit. */
const MAX_DEPTH = 100;
const LONGEST_SAFE_INTEGER = 15;

/** The result of `scanText`. */
export interface TextScan {
  /** Number of members of all objects, which is the number of colons outside strings. If JSON.parse yields fewer, some were duplicates. */
  readonly members: number;
  /**
   * False if JSON.parse and Go may read a value differently, or if JSON.parse loses how it was written: numbers other than plain short
   * integers, escapes that may be lone surrogates, and deep nesting.
   */
  readonly plain: boolean;
}

const ODD: TextScan = { members: 0, plain: false };

/** Scans JSON text that JSON.parse has accepted, in one pass. */
export function scanText(text: string): TextScan {
  const length = text.length;
  let members = 0;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = skipString(text, at + 1);
      if (at < 0) return ODD;
    } else if (code === 58) {
      members++;
      at++;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      at = skipInteger(text, at);
      if (at < 0) return ODD;
    } else {
      // `|| 32` maps brackets to braces: 91|32 = 123, 93|32 = 125.
      const bracket = code | 32;
      if (bracket === 123) {
        if (++depth > MAX_DEPTH) return ODD;
      } else if (bracket === 125) depth--;
      at++;
    }
  }
  return { members, plain: true };
}

/** Index after the string whose content starts at `at`, or -1 for a surrogate escape. */
function skipString(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code !== 92) at++;
    else {
      if (text.charCodeAt(at + 1) === 117 && (text.charCodeAt(at + 2) | 32) === 100) return -1;
      at += 2;
    }
  }
}

/** Index after an integer of at most 15 digits, or -1 for any other number, including `-0`. */
function skipInteger(text: string, at: number): number {
  const negative = text.charCodeAt(at) === 45;
  const start = negative ? at + 1 : at;
  if (negative && text.charCodeAt(start) === 48) return -1;
  let end = start;
  let code = text.charCodeAt(end);
  while (code >= 48 && code <= 57) code = text.charCodeAt(++end);
  return code === 46 || (code | 32) === 101 || end - start > LONGEST_SAFE_INTEGER ? -1 : end;
}
