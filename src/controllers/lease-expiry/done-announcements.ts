/**
 * Has announcements forgotten that are done. Those that are done while earlier ones are being forgotten share the next statement and its commit,
 * which marks of other leases would otherwise wait for.
 */
export class DoneAnnouncements {
  readonly #forget: (ids: readonly string[]) => Promise<void>;
  #next: { readonly ids: string[]; readonly forgotten: Promise<void> } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(forget: (ids: readonly string[]) => Promise<void>) {
    this.#forget = forget;
  }

  /** Resolves once it is forgotten; rejects if that failed for those of its statement. */
  add(id: string): Promise<void> {
    this.#next ??= this.#begin();
    this.#next.ids.push(id);
    return this.#next.forgotten;
  }

  #begin() {
    const ids: string[] = [];
    const forgotten = this.#last.then(() => {
      this.#next = undefined;
      return this.#forget(ids);
    });
    this.#last = forgotten.catch(() => undefined);
    return { ids, forgotten };
  }
}
