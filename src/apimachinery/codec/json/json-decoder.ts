import { DecodeError } from '../../errors/decode-error.js';
import type { StructType } from '../../schema/struct-type.js';
import { canonicalize } from '../../schema/canonical-object.js';
import { ExactDecoder } from './exact-decoder.js';
import { type MemberCount, compileCheck, OFF } from './compile-check.js';
import { goUtf8 } from '../../go/go-utf8.js';
import { syntaxError } from './json-syntax.js';
import { scanText } from './text-scan.js';

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
