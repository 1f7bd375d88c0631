import { goString, sortKeys } from '../../go/go-string.js';
import { hasTooManyValues } from '../limits/body-limits.js';
import { scanText } from '../json/text-scan.js';

/**
 * What YAML reads in another way than JSON or refuses: `\/`, tabs, line breaks and byte order marks of Unicode in strings, space before a
 * colon. Texts where these have no effect are left to the YAML parser too.
 */
const YAML_DIFFERS = /\\\/|[\t\r\u0085\u2028\u2029\ufeff]|[ \n]:/;
/** A longer key may be beyond the limit of YAML (libyaml's simple keys). */
const MAX_KEY = 256;

class Unlike extends Error {}

/**
 * The compact JSON, with sorted keys, of a JSON object that YAML reads as the same; undefined for any other text. `body` are the bytes of the
 * text.
 */
export function plainJson(text: string, body: Buffer): string | undefined {
  if (!text.startsWith('{') || YAML_DIFFERS.test(text) || hasTooManyValues(body)) return undefined;
  const value = parsed(text);
  if (value === undefined) return undefined;
  const scan = scanText(text);
  if (!scan.plain) return undefined;
  const writer = new Writer();
  try {
    const json = writer.value(value);
    // Fewer members: some were duplicates, which the YAML parser reports.
    return writer.members === scan.members ? json : undefined;
  } catch (error) {
    if (error instanceof Unlike) return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class Writer {
  members = 0;

  value(value: unknown): string {
    if (typeof value === 'string') return goString(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.value(item)).join(',')}]`;
    return typeof value === 'object' && value !== null ? this.#object(value as Record<string, unknown>) : String(value);
  }

  #object(object: Record<string, unknown>): string {
    const keys = sortKeys(Object.keys(object));
    this.members += keys.length;
    const members = keys.map((key) => {
      if (key.length > MAX_KEY) throw new Unlike();
      return `${goString(key)}:${this.value(object[key])}`;
    });
    return `{${members.join(',')}}`;
  }
}
