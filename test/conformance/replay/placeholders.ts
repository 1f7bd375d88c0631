import type { Variables } from './variables.js';

interface Place {
  readonly key: string;
  readonly inMetadata: boolean;
  readonly ofList: boolean;
  readonly ofBookmark: boolean;
}

const ROOT: Place = { key: '', inMetadata: false, ofList: false, ofBookmark: false };
/** A number that can be a version: not that of an RFC, nor part of a date. */
const NUMBER = /(?<![-:]|RFC )\b\d{2,}\b(?![-:]\d)/g;
const TIME_FIELDS = ['creationTimestamp', 'deletionTimestamp', 'time'];

type Plain = Record<string, unknown>;

/** Replaces values that differ from run to run; within a scenario, equal values get equal placeholders. */
export class Placeholders {
  readonly #variables: Variables;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** Shows this value as `<name>` from now on. */
  name(value: string, name: string): void {
    this.#names.set(value, `<${name}>`);
  }

  clean(value: unknown, place: Place = ROOT): unknown {
    if (Array.isArray(value)) return value.map((item) => this.clean(item, place));
    if (value === null || typeof value !== 'object') return typeof value === 'string' ? this.#text(value) : value;
    const object = value as Plain;
    return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, this.#field(key, item, object, place)]));
  }

  #field(key: string, value: unknown, owner: Plain, place: Place): unknown {
    if (typeof value === 'string') {
      const marked = this.#marked(key, value, owner, place);
      if (marked !== undefined) return marked;
    }
    return this.clean(value, {
      key,
      inMetadata: key === 'metadata',
      ofList: key === 'metadata' ? isList(owner) : place.ofList,
      ofBookmark: key === 'metadata' ? place.ofBookmark : key === 'object' && owner['type'] === 'BOOKMARK',
    });
  }

  #marked(key: string, value: string, owner: Plain, place: Place): string | undefined {
    if (key === 'uid' && value !== '' && !isOfUser(owner)) return numbered(this.#uids, value, 'uid');
    if (key === 'resourceVersion' && place.inMetadata) return this.#version(value, place);
    if (TIME_FIELDS.includes(key) && /^\d{4}-\d\d-\d\dT[\d:]+Z$/.test(value)) return '<time>';
    return key === 'continue' && value !== '' ? '<continue>' : undefined;
  }

  #version(value: string, place: Place): string {
    if (place.ofList) return '<list-rv>';
    if (place.ofBookmark) return '<bookmark-rv>';
    return value === '' || value === '0' ? value : numbered(this.#versions, value, 'rv');
  }

  #text(text: string): string {
    let out = text;
    const ns = this.#variables['ns'];
    if (ns !== undefined) out = out.replaceAll(ns, '<ns>');
    for (const [raw, name] of [...this.#names, ...this.#uids]) out = out.replaceAll(raw, name);
    return out
      .replace(NUMBER, (number) => this.#versions.get(number) ?? number)
      .replace(/too old resource version: \S+ \(\S+\)/g, 'too old resource version: <n> (<n>)')
      .replace(/Too large resource version: (\S+), current: \S+/g, 'Too large resource version: $1, current: <n>')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/Invalid value: "\{\\"[^]*\}": /g, 'Invalid value: "<document>": ')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => (isRecent(time) ? '<time>' : time));
  }
}

function numbered(known: Map<string, string>, value: string, kind: string): string {
  const mark = known.get(value) ?? `<${kind}-${known.size + 1}>`;
  known.set(value, mark);
  return mark;
}

const isRecent = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 3_600_000;

/** The uid of a user belongs to the target's configuration. */
const isOfUser = (owner: Plain) => owner['username'] !== undefined || owner['user'] !== undefined;

const isList = (owner: Plain) =>
  (typeof owner['kind'] === 'string' && /List$|^Table$/.test(owner['kind'])) ||
  Array.isArray(owner['items']) ||
  Array.isArray(owner['rows']);
