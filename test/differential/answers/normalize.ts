import type { KnownValues } from '../known-values.js';
import type { Plain } from '../question.js';

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** After a generateName of the grammar, one of which is a time. */
const GENERATED = /(\b[gG]en[-_]|\dZ)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
/** The versions that errors compare with. */
const CURRENT = /(current: |too old resource version: \d+ \()\d+/g;
/** Entries of managedFields are ordered by time, which may fall into different seconds; rules are in the order of caches. */
const UNORDERED = ['managedFields', 'resourceRules', 'nonResourceRules'];
/** Versions within texts: in words, in quoted JSON, in maps as Go prints them. */
const VERSION = /(resourceVersion(?: in (?:the )?(?:precondition|record|object meta))?\W{1,8})(\d{2,})/gi;
/** Versions that a patch has copied into another field, within quoted JSON or by themselves. */
const COPIED = /(\\*")(\d+)(?=\\*")/g;
/** A version that a patch has copied into a time: Go names the part of it that is none. */
const PARSED = /parsing time (\\*")(\d+)\1 as .*?: cannot parse .*? as \1[^"\\]*\1/g;
/** The beginning of a body that cannot be read, in hexadecimal: where a version has another length on the two servers, so have its parts. */
const DUMP = /(looking for beginning of value \(|cbor: [^(]*\()[0-9a-f]{8,}( \.\.\.)?/g;
const NEAR_MS = 2 * 3600_000;

/**
 * Replaces values that necessarily differ between two servers in a decoded body: versions, uids, current times, generated names, tokens.
 */
export class Normalizer {
  constructor(
    private readonly known: KnownValues,
    private readonly now: () => number,
  ) {}

  body(value: unknown): unknown {
    return this.#value(value, '', isList(value));
  }

  text(text: string): string {
    return text
      .replaceAll(UUID, (uid) => (uid.startsWith('00000000-') ? uid : this.known.markUid(uid)))
      .replaceAll(TIME, (time) => (Math.abs(Date.parse(time) - this.now()) < NEAR_MS ? '<now>' : time))
      .replaceAll(GENERATED, '$1<generated>')
      .replaceAll(CURRENT, '$1<list-rv>')
      .replaceAll(DUMP, '$1<body>')
      .replaceAll(VERSION, (_, before: string, version: string) => before + this.#versionIn(before, version))
      .replaceAll(PARSED, (text, _, digits: string) => {
        const version = this.known.markOf(digits);
        return version === undefined ? text : `parsing time ${version}`;
      })
      .replaceAll(COPIED, (_, before: string, digits: string) => before + (this.known.markOf(digits) ?? digits));
  }

  /** An object in quoted JSON or in a refusal may have a version that no response has shown, such as that of a deletion in a collection. */
  #versionIn(before: string, version: string): string {
    return before.endsWith('":\\"') || before.endsWith(' in record (')
      ? this.known.markVersion(version)
      : (this.known.markOf(version) ?? version);
  }

  #value(value: unknown, key: string, inList: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, key, inList);
    if (Array.isArray(value)) return this.#array(value, key);
    if (value === null || typeof value !== 'object') return value;
    const listed = (key === '' && isList(value)) || (key === 'object' && inList);
    const plain = (value as Plain)['type'] === 'BOOKMARK' ? (withoutVersions(value) as Plain) : (value as Plain);
    return Object.fromEntries(
      Object.entries(plain).map(([name, item]) => [this.text(name), this.#value(item, name, key === 'metadata' ? inList : listed)]),
    );
  }

  #text(text: string, key: string, inList: boolean): string {
    if (key === 'serverAddress') return '<address>';
    if (key === 'continue') return text === '' ? '' : '<continue>';
    if (key === 'token') return text.split('.').length === 3 ? '<token>' : text;
    if (key === 'resourceVersion' && /^\d{2,}$/.test(text)) return inList ? '<list-rv>' : this.known.markVersion(text);
    if (key === 'cell' && /^(\d+[smh])+$/.test(text)) return '<age>';
    return this.text(text);
  }

  #array(items: readonly unknown[], key: string): unknown[] {
    const values = items.map((item) => this.#value(item, key === 'cells' ? 'cell' : '-', false));
    return UNORDERED.includes(key) ? values.sort(byText) : values;
  }
}

function isList(value: unknown): boolean {
  const { items, rows } = (value ?? {}) as Plain;
  return items !== undefined || rows !== undefined;
}

/** A bookmark, which may be a Table, tells how far its server has got, at any depth. */
function withoutVersions(bookmark: unknown): unknown {
  const replace = (key: string, value: unknown): unknown =>
    key === 'resourceVersion' && /^\d{2,}$/.test(String(value)) ? '<list-rv>' : value;
  return JSON.parse(JSON.stringify(bookmark, replace));
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [canonicalText(a), canonicalText(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Keys of CBOR arrive in any order. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}
