import type { Announcement } from '../term-change.js';
import type { Announcements } from '../postgres/terms/announcements.js';

const MAX_QUEUED = 1_000;

interface Queued {
  readonly term: string;
  due: number;
  attempts: number;
}

/** The lapses that have yet to be announced. There is one server, so a claim only says when the next try is due. */
export class MemoryAnnouncements implements Pick<Announcements, keyof Announcements> {
  readonly #now: () => number;
  readonly #queued = new Map<string, Queued>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(id: string, term: string): void {
    if (this.#queued.size < MAX_QUEUED && !this.#queued.has(id)) this.#queued.set(id, { term, due: 0, attempts: 0 });
  }

  clear(): void {
    this.#queued.clear();
  }

  prolong(): Promise<void> {
    return Promise.resolve();
  }

  count(): Promise<boolean> {
    return Promise.resolve(this.#queued.size >= MAX_QUEUED);
  }

  claim(limit: number, seconds: number): Promise<Announcement[]> {
    const due = [...this.#queued].filter(([, each]) => each.due <= this.#now()).slice(0, limit);
    const claimed = due.map(([id, each]) => {
      each.due = this.#now() + seconds * 1000;
      each.attempts += 1;
      return { id, term: each.term, attempts: each.attempts };
    });
    return Promise.resolve(claimed);
  }

  done(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#queued.delete(id);
    return Promise.resolve();
  }

  postpone(id: string, delayMs: number): Promise<void> {
    const queued = this.#queued.get(id);
    if (queued) queued.due = this.#now() + delayMs;
    return Promise.resolve();
  }

  dropOld(): Promise<number> {
    return Promise.resolve(0);
  }
}
