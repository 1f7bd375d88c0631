import { type DatabaseHistory, judgeHistory } from '../../src/storage/postgres/lineage/lineage.repository.js';
import { RevisionGaps } from '../../src/storage/revisions.js';
import { type Client, type Contents, type Copy, type Entry, type Server, type State, cloneContents } from './lineage-state.js';

/** Stands for the microseconds in a tick of the clock; more than the writes of any explored history. */
const TICK = 100;
const BLIND_JUMP = 1_000;

/** A part of the program that is left out, to check that the explorer finds the violation. */
export type Mutation =
  | 'constant jump'
  | 'no look at the place'
  | 'no comparison of lineages'
  | 'gaps unknown to caches'
  | 'gaps unknown to clients that resume'
  | 'segments survive'
  | 'watches survive a loss'
  | 'no lift above what was seen';

export interface ModelOptions {
  /** Possible clock skews of copies, in ticks. At least a tick passes between two starts. */
  readonly skews: readonly number[];
  readonly mutation?: Mutation;
  /** The invariants to check: all of them, or those that do not depend on clocks. */
  readonly check: 'all' | 'without clocks';
  readonly most: { readonly copies: number; readonly kept: number; readonly writes: number; readonly rotations: number };
}

export interface Action {
  readonly name: string;
  readonly run: (model: LineageModel) => void;
}

export class Violation extends Error {}

/**
 * The protocol of docs/decisions/0018-revisions-after-a-change-of-database.md, executed step by step on a state; the program's own
 * functions make the decisions.
 */
export class LineageModel {
  constructor(
    readonly state: State,
    readonly options: ModelOptions,
  ) {}

  actions(): Action[] {
    return [...this.#serverActions(), ...this.#clientActions(), ...this.#databaseActions()];
  }

  *#serverActions(): Generator<Action> {
    const { state, options } = this;
    for (const [at, server] of state.servers.entries()) {
      if (state.nextId <= options.most.writes) yield { name: `server ${at} writes`, run: (model) => model.#write(at) };
      yield { name: `server ${at} reads the feed`, run: (model) => model.#read(at) };
      if (server.cache && options.check === 'all') yield { name: `server ${at} restarts`, run: (model) => model.#restart(at) };
    }
  }

  *#clientActions(): Generator<Action> {
    const { state, options } = this;
    for (const [at, client] of state.clients.entries()) {
      if (client.server >= 0 && options.check === 'all') yield { name: `client ${at} loses its watch`, run: (model) => model.#detach(at) };
      if (client.server >= 0) continue;
      for (const [to, server] of state.servers.entries()) {
        if (server.cache) yield { name: `client ${at} watches server ${to}`, run: (model) => model.#watch(at, to) };
      }
    }
  }

  *#databaseActions(): Generator<Action> {
    const { state, options } = this;
    const { most, skews } = options;
    if (state.kept.length < most.kept) yield { name: 'a copy is kept', run: (model) => model.#keep() };
    if (state.rotations < most.rotations) yield { name: 'the log is rotated', run: (model) => model.#rotate() };
    if (state.copies.length >= most.copies) return;
    yield { name: 'the primary restarts', run: (model) => model.#replace(model.#contents(), 0, false) };
    for (const [at] of state.kept.entries()) {
      for (const skew of skews) {
        yield { name: `kept copy ${at} takes over, clock ${skew}`, run: (model) => model.#replace(model.state.kept[at]!, skew, false) };
        const name = `kept copy ${at} takes over beside the old primary, clock ${skew}`;
        yield { name, run: (model) => model.#replace(model.state.kept[at]!, skew, true) };
      }
    }
    const old = state.copies.findIndex(({ up }, at) => up && at !== state.primary);
    if (old >= 0) yield { name: 'the old primary ends', run: (model) => void (model.state.copies[old]!.up = false) };
  }

  // ---- the database

  #contents(): Contents {
    return this.state.copies[this.state.primary]!.contents;
  }

  #keep(): void {
    this.state.kept.push(cloneContents(this.#contents()));
  }

  #rotate(): void {
    const contents = this.#contents();
    contents.segment++;
    contents.segmentStart = contents.value;
    this.state.rotations++;
  }

  #replace(contents: Contents, skew: number, oldLives: boolean): void {
    const { state } = this;
    state.time++;
    state.copies[state.primary]!.up = oldLives;
    state.copies.push({ place: state.nextPlace++, up: true, skew, contents: cloneContents(contents) });
    state.primary = state.copies.length - 1;
  }

  // ---- a server

  #connection(server: Server): Copy {
    const copy = this.state.copies[server.connection];
    if (copy?.up && copy.place === server.place) return copy;
    return this.#connectAnew(server);
  }

  #connectAnew(server: Server): Copy {
    const copy = this.state.copies[this.state.primary]!;
    server.connection = this.state.primary;
    server.place = copy.place;
    return copy;
  }

  #atHome({ contents, place }: Copy): boolean {
    return this.options.mutation === 'no look at the place' ? contents.lineage > 0 : contents.home === place;
  }

  #accepts(server: Server, copy: Copy): boolean {
    const same = this.options.mutation === 'no comparison of lineages' || copy.contents.lineage === server.known?.lineage;
    return server.known !== undefined && same && this.#atHome(copy);
  }

  /** Lineage.renew: a separate connection checks where the address leads. */
  #renew(server: Server): Copy {
    const copy = this.#connectAnew(server);
    const { contents } = copy;
    const past: DatabaseHistory = { ...contents, atHome: this.#atHome(copy), compacted: 0 };
    const judgement = judgeHistory(past, server.known);
    if (judgement.beginAfter !== undefined) this.#begin(copy, judgement.beginAfter, server.known?.newest ?? 0);
    server.known = { lineage: contents.lineage, newest: contents.value };
    server.lineages = [...contents.lineages];
    if (this.options.mutation !== 'segments survive') server.segments = [];
    return copy;
  }

  #begin({ contents, skew, place }: Copy, ended: number, above: number): void {
    const { state, options } = this;
    const now = (state.time + skew) * TICK;
    const jumped = options.mutation === 'constant jump' || now <= contents.value ? contents.value + BLIND_JUMP : now;
    contents.value = options.mutation === 'no lift above what was seen' ? jumped : Math.max(jumped, above + 1);
    contents.lineage = state.nextLineage++;
    contents.home = place;
    contents.lineages.push({ id: contents.lineage, ended, began: contents.value });
  }

  #settled(server: Server): Copy {
    for (let attempt = 0; attempt < 3; attempt++) {
      const copy = attempt === 0 ? this.#connection(server) : this.#renew(server);
      if (this.#accepts(server, copy) && copy.contents.value >= (server.known?.newest ?? 0)) return copy;
    }
    throw new Violation('a server does not come to rest');
  }

  #write(at: number): void {
    const { state } = this;
    const server = state.servers[at]!;
    let copy = this.#connection(server);
    while (!this.#accepts(server, copy)) copy = this.#renew(server);
    const { contents } = copy;
    const before = contents.value;
    const entry: Entry = { revision: ++contents.value, id: state.nextId++, segment: contents.segment };
    contents.log.push(entry);
    this.#checkGiven(entry, copy);
    if (entry.revision <= server.seen) throw new Violation(`server ${at} gives ${entry.revision}, and has seen ${server.seen}`);
    server.seen = entry.revision;
    server.known = { lineage: server.known!.lineage, newest: Math.max(server.known!.newest, entry.revision) };
    if (server.cache?.revision === before) this.#apply(at, [entry], entry.revision);
  }

  /** RevisionLogRepository.changesAfter and the follower's processing of its result, as in a consistent read. */
  #read(at: number): void {
    const server = this.state.servers[at]!;
    const copy = this.#settled(server);
    const { contents } = copy;
    server.known = { lineage: server.known!.lineage, newest: Math.max(server.known!.newest, contents.value) };
    server.seen = Math.max(server.seen, contents.value);
    const { cache } = server;
    const after = cache?.revision ?? 0;
    const segment = server.segments.findLast(({ start }) => start <= after)?.segment ?? 0;
    const newest = server.segments.at(-1);
    if (!newest || newest.segment < contents.segment) server.segments.push({ segment: contents.segment, start: contents.segmentStart });
    if (!cache || after > contents.value || this.#cacheGaps(server).has(after)) {
      this.#load(at, contents);
    } else {
      this.#failLost(at);
      const rows = contents.log.filter((entry) => entry.segment >= segment && entry.revision > after);
      this.#apply(at, rows, contents.value);
    }
    this.#checkRead(at, copy);
  }

  #cacheGaps(server: Server) {
    return new RevisionGaps(this.options.mutation === 'gaps unknown to caches' ? [] : server.lineages);
  }

  #load(at: number, contents: Contents): void {
    const server = this.state.servers[at]!;
    const before = server.cache?.revision ?? 0;
    const continuous = before <= contents.value && !this.#cacheGaps(server).has(before);
    server.cache = { revision: before, log: contents.log.filter(({ revision }) => revision <= before) };
    this.#failLost(at);
    if (!continuous && this.options.mutation !== 'watches survive a loss') {
      for (const client of this.#clientsOf(at)) if (before > contents.value) client.server = -2;
    }
    server.cache.revision = Math.min(before, contents.value);
    this.#apply(
      at,
      contents.log.filter(({ revision }) => revision > before),
      contents.value,
    );
  }

  #apply(at: number, entries: readonly Entry[], revision: number): void {
    const cache = this.state.servers[at]!.cache!;
    cache.log = [...cache.log, ...entries];
    cache.revision = revision;
    for (const client of this.#clientsOf(at)) this.#deliver(client, entries, revision);
  }

  #failLost(at: number): void {
    if (this.options.mutation === 'watches survive a loss') return;
    const gaps = this.#cacheGaps(this.state.servers[at]!);
    for (const client of this.#clientsOf(at)) if (gaps.has(client.revision)) client.server = -2;
  }

  #restart(at: number): void {
    for (const client of this.#clientsOf(at)) client.server = -1;
    this.state.servers[at] = { lineages: [], segments: [], connection: -1, place: 0, seen: 0 };
  }

  // ---- a client; -2: it received 410, and lists before it watches again

  #clientsOf(at: number): Client[] {
    return this.state.clients.filter(({ server }) => server === at);
  }

  #detach(at: number): void {
    this.state.clients[at]!.server = -1;
  }

  #watch(at: number, to: number): void {
    const client = this.state.clients[at]!;
    const server = this.state.servers[to]!;
    const cache = server.cache!;
    const ignored = this.options.mutation === 'gaps unknown to clients that resume';
    const lost = client.server === -2 || (!ignored && new RevisionGaps(server.lineages).has(client.revision));
    if (client.revision === 0 || lost) {
      client.log = [...cache.log];
      client.revision = cache.revision;
    } else {
      this.#deliver(
        client,
        cache.log.filter(({ revision }) => revision > client.revision),
        cache.revision,
      );
    }
    client.server = to;
  }

  #deliver(client: Client, entries: readonly Entry[], revision: number): void {
    client.log = [...client.log, ...entries.filter((entry) => entry.revision > client.revision)];
    client.revision = Math.max(client.revision, revision);
  }

  // ---- invariants

  /**
   * No revision is assigned twice, and the current primary assigns revisions above all earlier ones: a later lease holder has the greater
   * token.
   */
  #checkGiven({ revision, id }: Entry, copy: Copy): void {
    const { state, options } = this;
    const present = copy === state.copies[state.primary];
    if (options.check === 'all') {
      if (state.given.some(([other]) => other === revision)) throw new Violation(`revision ${revision} is given twice`);
      if (present && revision <= state.newestGiven) throw new Violation(`revision ${revision} is below ${state.newestGiven}`);
      const begun = state.copies[state.primary]!.contents.lineages.at(-1);
      const other = state.copies[state.primary]!.contents.home === state.copies[state.primary]!.place ? begun?.began : undefined;
      if (!present && other !== undefined && revision >= other) throw new Violation(`an old primary gives ${revision}, above the new one`);
    }
    state.given.push([revision, id]);
    state.newestGiven = Math.max(state.newestGiven, revision);
  }

  /** A consistent read shows all committed changes, and each watch has received every change of this history once and in order. */
  #checkRead(at: number, { contents }: Copy): void {
    const { cache } = this.state.servers[at]!;
    const there = textOf(contents.log);
    if (textOf(cache!.log) !== there) throw new Violation(`server ${at} shows ${textOf(cache!.log)}, committed is ${there}`);
    for (const client of this.#clientsOf(at)) {
      if (client.revision > contents.value) continue; // waits for a future revision
      if (textOf(client.log) !== there) {
        throw new Violation(`a client of server ${at} has seen ${textOf(client.log)}, committed is ${there}`);
      }
    }
  }
}

function textOf(log: readonly Entry[]): string {
  return log.map(({ revision, id }) => `${id}@${revision}`).join(' ') || 'nothing';
}
