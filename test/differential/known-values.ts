import type { Plain } from './question.js';

interface KnownObject {
  readonly uid: string;
  readonly firstVersion: string;
  readonly version: string;
}

/** What one server has said of its objects in a sequence, so that later questions can speak of it. */
export class KnownValues {
  readonly #objects = new Map<string, KnownObject>();
  readonly #versions = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  #continue = 'none';
  /** That of the sequence's namespace: of what is not there, a version is asked for that there was. */
  #oldest: string | undefined;

  constructor(readonly namespace: string) {}

  /** The text with its placeholders filled in; what is not known is written as it would never be. */
  fill(text: string): string {
    return text
      .replaceAll('{{ns}}', this.namespace)
      .replaceAll(/\{\{([a-z-]+)(?::([^}]*))?\}\}/g, (_, name: string, path = '') => this.#value(name, path as string));
  }

  /** Everything in a value filled in. */
  fillAll(value: unknown): unknown {
    if (typeof value === 'string') return this.fill(value);
    if (Array.isArray(value)) return value.map((item) => this.fillAll(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.fill(key), this.fillAll(item)]));
  }

  /** Notes an object that was answered; `path` is that of the resource. */
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

  /** Equal versions get equal marks, in the order in which they are met. */
  markVersion(version: string): string {
    return mark(this.#versions, version, 'rv');
  }

  markUid(uid: string): string {
    return mark(this.#uids, uid, 'uid');
  }

  /** The marks of what has been met, for texts that quote it. */
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
