import type { Random } from '../../fuzz/random.js';
import { type Sighting, type WriteOutcome, type WriteRecord, deleted } from '../history.js';
import { type ApiAnswer, type ApiClient, type LeaseList, type LeaseObject, sightingOf, sightingsOf } from './api-client.js';
import type { Recorder } from './recorder.js';
import { Repeated } from './repeated.js';

export interface WriterOptions {
  readonly name: string;
  readonly clients: readonly ApiClient[];
  /** The objects that it writes. */
  readonly keys: readonly string[];
  /** Whether it is their only writer. Only then are they deleted as well, because the owner knows the previous state. */
  readonly owns: boolean;
  readonly pauseMs: number;
  readonly random: Random;
  readonly recorder: Recorder;
}

/**
 * Repeatedly reads an object through one server, writes it through another by compare-and-set, and after an acknowledgement reads it back
 * through a third. Every state names its predecessor, so that each object's states form a tree whose branches were lost by failovers.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #last = new Map<string, string>();
  readonly #conflicts = new Map<string, { readonly version: number; readonly count: number }>();
  #count = 0;
  readonly #writing: Repeated;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { random, pauseMs, keys } = options;
    this.#writing = new Repeated(
      () => this.writeOnce(random.pick(keys)),
      () => random.below(2 * pauseMs),
    );
  }

  start(): void {
    this.#writing.start();
  }

  stop(): Promise<void> {
    return this.#writing.stop();
  }

  /** Reads and writes an object once; returns the write's record, or undefined if the read failed. */
  async writeOnce(key: string, client = this.#anyClient()): Promise<WriteRecord | undefined> {
    const read = await this.#get(key, this.#anyClient());
    if (read === undefined) return undefined;
    const record = await this.#write(key, read.state, client);
    if (record.status === 409 && record.kind === 'update') await this.#examineConflict(key, read.state, client);
    if (record.outcome === 'acknowledged') await this.#readBack(key);
    return record;
  }

  async #write(key: string, state: Sighting | undefined, client: ApiClient): Promise<WriteRecord> {
    const { name, owns, random } = this.#options;
    const id = `${name}.${++this.#count}`;
    if (state === undefined) {
      const prev = owns ? this.#absentAfter(key) : '-';
      return this.#send({ key, kind: 'create', id, prev, server: client.server }, () => client.create(key, `${id}<${prev}`));
    }
    this.#last.set(key, state.id);
    const version = String(state.revision);
    const prev = state.id;
    if (owns && random.chance(0.15)) {
      return this.#send({ key, kind: 'delete', id: deleted(prev), prev, server: client.server }, () => client.delete(key, version));
    }
    return this.#send({ key, kind: 'update', id, prev, server: client.server }, () => client.update(key, version, `${id}<${prev}`));
  }

  /** The predecessor that the owner assumes for a missing object: the deletion of its last state. */
  #absentAfter(key: string): string {
    const last = this.#last.get(key);
    return last === undefined ? '-' : deleted(last);
  }

  async #send(what: Pick<WriteRecord, 'key' | 'kind' | 'id' | 'prev' | 'server'>, request: () => Promise<ApiAnswer>): Promise<WriteRecord> {
    const { recorder } = this.#options;
    const sentAt = recorder.now();
    const { status, text } = await request();
    const outcome = outcomeOf(status);
    const revision =
      outcome === 'acknowledged' && what.kind !== 'delete' ? sightingOf(JSON.parse(text) as LeaseObject).revision : undefined;
    const record = { ...what, sentAt, answeredAt: recorder.now(), outcome, status, revision };
    recorder.writes.push(record);
    if (outcome === 'acknowledged' && what.kind !== 'delete') this.#last.set(what.key, what.id);
    return record;
  }

  /** Checks whether the refused version is still the newest, in which case the refusal was wrong. */
  async #examineConflict(key: string, before: Sighting | undefined, client: ApiClient): Promise<void> {
    const after = await this.#get(key, client);
    const version = before?.revision ?? 0;
    if (after === undefined || after.state?.revision !== version) return void this.#conflicts.delete(key);
    const earlier = this.#conflicts.get(key);
    const count = earlier?.version === version ? earlier.count + 1 : 1;
    this.#conflicts.set(key, { version, count });
    const { recorder } = this.#options;
    recorder.refusals.push({ at: recorder.now(), server: client.server, key, inARow: count });
  }

  async #readBack(key: string): Promise<void> {
    const { random } = this.#options;
    if (random.chance(0.1)) return this.#list(this.#anyClient());
    if (random.chance(0.5)) await this.#get(key, this.#anyClient());
  }

  /** Undefined if the read failed. */
  async #get(key: string, client: ApiClient): Promise<{ readonly state: Sighting | undefined } | undefined> {
    const { recorder } = this.#options;
    const sentAt = recorder.now();
    const { status, text } = await client.get(key);
    if (status !== 200 && status !== 404) return undefined;
    const state = status === 200 ? sightingOf(JSON.parse(text) as LeaseObject) : undefined;
    recorder.read(client.server, sentAt, key, state);
    return { state };
  }

  async #list(client: ApiClient): Promise<void> {
    const { recorder } = this.#options;
    const sentAt = recorder.now();
    const { status, text } = await client.list();
    if (status !== 200) return;
    const states = sightingsOf(JSON.parse(text) as LeaseList);
    recorder.reads.push({ server: client.server, sentAt, answeredAt: recorder.now(), states });
  }

  #anyClient(): ApiClient {
    return this.#options.random.pick(this.#options.clients);
  }
}

function outcomeOf(status: number): WriteOutcome {
  if (status >= 200 && status < 300) return 'acknowledged';
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'unclear';
}
