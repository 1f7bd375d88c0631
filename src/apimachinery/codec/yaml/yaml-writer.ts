import { naturalOrder } from './natural-order.js';
import { scalarStyle } from './yaml-scalar-style.js';
import { writeText } from './write-yaml-text.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What precedes a node: nothing, `key:`, or an indicator (`-`, `:`) after which a collection may start on the same line. */
type Before = 'nothing' | 'key' | 'indicator';

/** Longer keys are written on a line of their own after `?`. */
const LONGEST_SIMPLE_KEY = 128;
const INDENT = 2;

/** Writes JSON values as YAML in block style, with the layout of go-yaml v2 (emitterc.go). */
export class YamlWriter {
  readonly #lines: string[] = [];
  #line = '';

  /** Writes a value that consists of JSON types, with a final newline. */
  static write(value: unknown): string {
    const writer = new YamlWriter();
    writer.#node(value as Json, 0, 'nothing');
    writer.#endLine();
    return writer.#lines.join('\n') + '\n';
  }

  #node(value: Json, indent: number, before: Before): void {
    if (typeof value === 'string') this.#text(value, indent, before);
    else if (value === null || typeof value !== 'object') this.#put(before, String(value));
    else if (isList(value)) this.#list(value, indent, before);
    else this.#map(value, indent, before);
  }

  #list(items: readonly Json[], indent: number, before: Before): void {
    if (items.length === 0) return this.#put(before, '[]');
    const inner = before === 'indicator' ? indent + INDENT : indent;
    items.forEach((item, index) => {
      this.#startEntry(inner, index === 0 ? before : 'key');
      this.#line += '-';
      this.#node(item, inner, 'indicator');
    });
  }

  #map(map: { readonly [key: string]: Json }, indent: number, before: Before): void {
    const entries = Object.entries(map).sort(([a], [b]) => naturalOrder(a, b));
    if (entries.length === 0) return this.#put(before, '{}');
    const inner = before === 'nothing' ? indent : indent + INDENT;
    entries.forEach(([key, value], index) => {
      this.#startEntry(inner, index === 0 ? before : 'key');
      this.#entry(key, value, inner);
    });
  }

  #entry(key: string, value: Json, indent: number): void {
    if (Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY && !/[\r\n\x85\u2028\u2029]/.test(key)) {
      this.#line += `${writeText(key, scalarStyle(key, true), { column: 0, indent: undefined })}:`;
      return this.#node(value, indent, 'key');
    }
    this.#line += '?';
    this.#text(key, indent, 'indicator');
    this.#startEntry(indent, 'key');
    this.#line += ':';
    this.#node(value, indent, 'indicator');
  }

  /** The first entry after an indicator continues its line. */
  #startEntry(indent: number, before: Before): void {
    if (before === 'indicator') this.#line += ' ';
    else if (before === 'key') {
      this.#endLine();
      this.#line = ' '.repeat(indent);
    }
  }

  #text(text: string, indent: number, before: Before): void {
    const column = this.#line.length + (before === 'nothing' ? 0 : 1);
    this.#put(before, writeText(text, scalarStyle(text, false), { column, indent: indent + INDENT }));
  }

  #put(before: Before, text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    const gap = before === 'nothing' ? '' : ' ';
    if (lines.length === 0) {
      this.#line += gap + last;
      return;
    }
    this.#lines.push(this.#line + gap + (lines[0] ?? ''), ...lines.slice(1));
    this.#line = last;
  }

  /** A literal text that ends with a line break has already ended its line. */
  #endLine(): void {
    if (this.#line !== '') this.#lines.push(this.#line);
    this.#line = '';
  }
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);

/** Converts JSON text to YAML as sigs.k8s.io/yaml formats it. */
export function toYaml(json: string): string {
  return YamlWriter.write(JSON.parse(json));
}
