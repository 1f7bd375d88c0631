import type { EventType, StoreEvent, WatchItem } from '../../src/storage/object-store.js';

type Condition = (recorder: WatchRecorder) => boolean;

/** Records what a watcher receives, and waits for it. */
export class WatchRecorder {
  readonly items: WatchItem[] = [];
  readonly #waiting = new Set<() => void>();

  readonly receive = (items: readonly WatchItem[]): void => {
    this.items.push(...items);
    for (const check of this.#waiting) check();
  };

  get events(): StoreEvent[] {
    return this.items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
  }

  /** `ADDED name`, with the state's data if there is any. */
  get summary(): string[] {
    return this.events.map(({ type, object }) => `${type} ${object.key.name}${object.data === '' ? '' : `=${object.data}`}`);
  }

  get bookmarks(): Extract<WatchItem, { kind: 'bookmark' }>[] {
    return this.items.filter((item) => item.kind === 'bookmark');
  }

  get error(): Error | undefined {
    const last = this.items.at(-1);
    return last?.kind === 'error' ? last.error : undefined;
  }

  async until(condition: Condition, what = condition.toString()): Promise<void> {
    if (condition(this)) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => finish(new Error(`not seen: ${what}; seen: ${JSON.stringify(this.summary)}`)), 10_000);
      const check = () => condition(this) && finish();
      const finish = (error?: Error) => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        if (error) reject(error);
        else resolve();
      };
      this.#waiting.add(check);
    });
  }

  untilEvents(count: number): Promise<void> {
    return this.until((recorder) => recorder.events.length >= count, `${count} events`);
  }

  async untilEvent(type: EventType, name: string): Promise<void> {
    await this.until(
      (recorder) => recorder.events.some((event) => event.type === type && event.object.key.name === name),
      `${type} ${name}`,
    );
  }
}
