import type { Plain } from './question.js';

interface KnownObject {
  readonly uid: string;
  readonly firstVersion: string;
  readonly version: string;
}

/** What one server has returned about the objects of a sequence, so that later questions can refer to it. */
export class KnownValues {
  readonly #objects = new Map<string, KnownObject>();
  readonly #versions = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  #continue = 'none';
  /** The version of the sequence's namespace: a placeholder for a missing object asks for a version that existed. */
  #oldest: string | undefined;

  constructor(readonly namespace: string) {}

  /** Fills in a text's placeholders; unknown values become ones that cannot occur. */
  fill(text: string): string {
    return text
      .replaceAll('{{ns}}', this.namespace)
      .replaceAll(/\{\{([a-z-]+)(?::([^}]*))?\}\}/g, (_, name: string, path = '') => this.#value(name, path as string));
  }

  /** Fills in all placeholders in a value. */
  fillAll(value: unknown): unknown {
    if (typeof value === 'string') return this.fill(value);
    if (Array.isArray(value)) return value.map((item) => this.fillAll(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.fill(key), this.fillAll(item)]));
  }

  /** Records an object of a response; `path` is its resource's. */
  note(path: string, { metadata }: Plain): void {
    const { name, uid, resourceVersion } = (metadata ?? {}) as Plain;
    if (typeof name !== 'string' || typeof resourceVersion !== 'string') return;
    const key = `${path}/${name}`;
    const { firstVersion = resourceVersion } = this.#objects.get(key) ?? {};
    this.#oldest ??= resourceVersion;
    this.#objects.set(key, { uid: String(uid), firstVersion, version: resourceVersion });
  }

  noteContinue(token: string): void {
    this.#continue = token;
  }

  /** Equal versions get equal marks, in the order of their first occurrence. */
  markVersion(version: string): string {
    return mark(this.#versions, version, 'rv');
  }

  markUid(uid: string): string {
    return mark(this.#uids, uid, 'uid');
  }

  /** The mark of a known value, for texts that quote it. */
  markOf(text: string): string | undefined {
    return this.#versions.get(text) ?? this.#uids.get(text);
  }

  #value(name: string, path: string): string {
    if (name === 'continue') return this.#continue;
    const known = this.#objects.get(path);
    if (name === 'rv') return known?.version ?? this.#oldest ?? '1';
    if (name === 'first-rv') return known?.firstVersion ?? this.#oldest ?? '1';
    return known?.uid ?? '00000000-0000-4000-8000-000000000000';
  }
}

function mark(marks: Map<string, string>, value: string, name: string): string {
  const known = marks.get(value) ?? `<${name}-${marks.size + 1}>`;
  marks.set(value, known);
  return known;
}
