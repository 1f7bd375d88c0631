import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import type { Sighting, WatchEntry } from '../history.js';
import { type ApiClient, type LeaseList, type LeaseObject, sightingOf, sightingsOf } from './api-client.js';
import { ELECTION } from './election-times.js';
import type { Recorder } from './recorder.js';

interface WireEvent {
  readonly type: string;
  readonly object: LeaseObject & { readonly code?: number };
}

/** Lists once and watches from there; resumes from the last version it saw, and lists again only after a 410. */
export class Watcher {
  readonly name: string;
  readonly #client: ApiClient;
  readonly #recorder: Recorder;
  readonly #entries: WatchEntry[] = [];
  readonly #stop = new AbortController();
  #state: Map<string, Sighting> | undefined;
  #last = 0;
  #current: AbortController | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(name: string, client: ApiClient, recorder: Recorder) {
    this.name = name;
    this.#client = client;
    this.#recorder = recorder;
    recorder.watches.push({ name, entries: this.#entries });
  }

  start(): void {
    this.#done = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#current?.abort();
    await this.#done;
  }

  /** Its state of an object. */
  state(key: string): Sighting | undefined {
    return this.#state?.get(key);
  }

  /** Its complete state, for comparison. */
  get picture(): ReadonlyMap<string, Sighting> {
    return this.#state ?? new Map<string, Sighting>();
  }

  /** Ends the request; the next one resumes. */
  reconnect(): void {
    this.#current?.abort();
  }

  /** Starts over, as after a restart of the client. */
  forget(): void {
    this.#state = undefined;
    this.#note({ at: this.#recorder.now(), kind: 'expired' });
    this.#current?.abort();
  }

  sees(key: string, id: string, timeoutMs: number): Promise<true> {
    return eventually(
      () => this.state(key)?.id === id,
      () => `${this.name} has not seen ${id} of ${key} after ${timeoutMs} ms, but ${this.state(key)?.id}; it is at ${this.#last}`,
      timeoutMs,
    );
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#state === undefined) await this.#list();
        if (this.#state !== undefined) await this.#watch();
      } catch (error) {
        if (!(error instanceof Error)) throw error; // a broken connection; the next round resumes
      }
      await sleep(200);
    }
  }

  async #list(): Promise<void> {
    const sentAt = this.#recorder.now();
    const { status, text } = await this.#client.list();
    if (status !== 200) return;
    const list = JSON.parse(text) as LeaseList;
    const items = sightingsOf(list);
    this.#last = Number(list.metadata.resourceVersion);
    this.#state = new Map(items);
    this.#note({ at: this.#recorder.now(), kind: 'list', revision: this.#last, items });
    this.#recorder.reads.push({ server: this.#client.server, sentAt, answeredAt: this.#recorder.now(), states: items });
  }

  async #watch(): Promise<void> {
    this.#current = new AbortController();
    this.#note({ at: this.#recorder.now(), kind: 'resume', revision: this.#last });
    const response = await this.#client.watch(String(this.#last), this.#current.signal);
    if (response.statusCode === 410) this.#expire();
    if (response.statusCode !== 200) return void response.resume();
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (!this.#take(JSON.parse(line) as WireEvent)) return void response.destroy();
    }
  }

  /** Returns false when the watch can no longer be resumed. */
  #take({ type, object }: WireEvent): boolean {
    const at = this.#recorder.now();
    if (type === 'ERROR') {
      if (object.code === 410) this.#expire();
      return false;
    }
    this.#last = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') this.#note({ at, kind: 'bookmark', revision: this.#last });
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return true;
    const key = object.metadata.name;
    const state = sightingOf(object);
    this.#note({ at, kind: 'event', type, key, state });
    if (key === ELECTION) this.#recorder.holder(state);
    if (type === 'DELETED') this.#state?.delete(key);
    else this.#state?.set(key, state);
    return true;
  }

  #expire(): void {
    this.#note({ at: this.#recorder.now(), kind: 'expired' });
    this.#state = undefined;
  }

  #note(entry: WatchEntry): void {
    this.#entries.push(entry);
  }
}
