import type { Peer, SimulatedSocket } from '../network/simulated-socket.js';
import { Finding } from '../world/world.js';
import { type Change, type Contents, copyOf } from './contents.js';
import { findStatement, withoutQuotes } from './find-statement.js';
import type { SimulatedInstance } from './simulated-instance.js';
import { type Moment, type Outcome, SqlError } from './simulated-statement.js';
import {
  type FrontendMessage,
  type Parameter,
  authenticationOk,
  backendKey,
  bytesOf,
  commandComplete,
  errorResponse,
  frontendMessages,
  notification,
  prepared,
  readyForQuery,
  rows,
} from './wire.js';

interface Transaction {
  readonly snapshots: boolean;
  snapshot?: Contents;
  failed: boolean;
  readonly changes: Change[];
}

interface Request {
  readonly text: string;
  readonly values: readonly Parameter[];
  /** Messages sent before the rows. */
  readonly opening: string;
}

const IDLE_IN_TRANSACTION_MS = 30_000;

/** A server process of PostgreSQL with its connection: one statement at a time, each in its transaction. */
export class Session implements Peer {
  readonly pid: number;
  readonly channels = new Set<string>();
  readonly #instance: SimulatedInstance;
  readonly #socket: SimulatedSocket;
  readonly #statements = new Map<string, string>();
  readonly #requests: Request[] = [];
  #bound: Request | undefined;
  #started = false;
  #busy = false;
  #open = true;
  #transaction: Transaction | undefined;
  #statementTimeoutMs = 60_000;
  #lockTimeoutMs = Infinity;
  #cancelIdle: (() => void) | undefined;

  constructor(instance: SimulatedInstance, socket: SimulatedSocket, pid: number) {
    this.#instance = instance;
    this.#socket = socket;
    this.pid = pid;
  }

  get idle(): boolean {
    return !this.#busy;
  }

  get start(): string {
    return `${this.#instance.started}/${this.pid}`;
  }

  receive(bytes: Buffer): void {
    if (!this.#open || !this.#instance.process.alive) return;
    for (const message of frontendMessages(bytes, this.#started)) this.#take(message);
    this.#next();
  }

  /** The client has gone. The current statement continues, because PostgreSQL checks its connection only between statements. */
  closed(): void {
    if (!this.#open || !this.#instance.process.alive) return;
    this.#open = false;
    if (!this.#busy) this.#end();
  }

  /** pg_terminate_backend, or the end of the whole server. */
  terminate(): void {
    this.#open = false;
    this.#socket.hangUp();
    this.#end();
  }

  notify(pid: number, channel: string): void {
    if (this.#open && this.channels.has(channel)) this.#send(notification(pid, channel));
  }

  #take(message: FrontendMessage): void {
    switch (message.kind) {
      case 'startup':
        this.#started = true;
        return this.#send(authenticationOk() + backendKey(this.pid) + readyForQuery('I'));
      case 'query':
        return void this.#requests.push({ text: message.text, values: [], opening: '' });
      case 'parse':
        this.#statements.set(message.name, message.text);
        this.#bound = { text: message.text, values: [], opening: prepared(true) };
        return;
      case 'bind':
        return this.#bind(message.name, message.values);
      case 'sync':
        if (this.#bound) this.#requests.push(this.#bound);
        this.#bound = undefined;
        return;
      case 'terminate':
        this.#open = false;
        this.#socket.hangUp();
        return this.#busy ? undefined : this.#end();
      case 'other':
    }
  }

  #bind(name: string, values: Parameter[]): void {
    const text = this.#statements.get(name);
    if (text === undefined) throw new Error(`no statement ${name} was prepared`);
    this.#bound = { text, values, opening: this.#bound?.opening ?? prepared(false) };
  }

  #next(): void {
    const request = this.#busy ? undefined : this.#requests.shift();
    if (!request) return;
    this.#busy = true;
    this.#cancelIdle?.();
    const { world } = this.#instance;
    world.trace(() => `${this.#instance.process.name}/${this.pid}: ${request.text.replace(/\s+/g, ' ').trim().slice(0, 70)}`);
    world.after(this.#instance.executionMs(), () => this.#execute(request), this.#instance.process);
  }

  #execute(request: Request): void {
    try {
      if (this.#control(request)) return;
      if (this.#transaction?.failed) throw new SqlError('25P02', 'current transaction is aborted');
      const statement = findStatement(request.text);
      if (statement.writes && this.#instance.inRecovery) throw new SqlError('25006', 'cannot execute in a read-only transaction');
      const arrived = this.#instance.world.now();
      const run = () => this.#attempt(() => this.#run(request, statement.run, this.#instance.world.now() - arrived));
      if (!statement.locks) return run();
      const timeout = Math.min(this.#statementTimeoutMs, this.#lockTimeoutMs);
      const code = this.#lockTimeoutMs < this.#statementTimeoutMs ? '55P03' : '57014';
      this.#instance.counterLock.acquire(this, timeout, run, () => this.#fail(new SqlError(code, 'canceling statement due to timeout')));
    } catch (error) {
      this.#fail(error);
    }
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #control({ text, opening }: Request): boolean {
    const limits = /statement_timeout', '([0-9]+)ms'/.exec(text);
    if (limits) this.#statementTimeoutMs = Number(limits[1]);
    const lock = /lock_timeout', '([0-9]+)ms'/.exec(text);
    if (lock) this.#lockTimeoutMs = Number(lock[1]) || Infinity;
    const listen = /^listen "(.*)"/.exec(text);
    if (listen) this.channels.add(listen[1]!);
    const notify = /^notify "(.*)"/.exec(text);
    if (notify) this.#instance.commit([], this.pid, notify[1]);
    const unlisten = text === 'unlisten *';
    if (unlisten) this.channels.clear();
    if (text.startsWith('begin')) this.#transaction = { snapshots: text.includes('repeatable read'), failed: false, changes: [] };
    else if (text === 'commit' || text === 'rollback') {
      this.#endTransaction(text, opening);
      return true;
    } else if (!listen && !notify && !unlisten) return false;
    this.#answer(opening, []);
    return true;
  }

  #endTransaction(text: string, opening: string): void {
    const changes = text === 'commit' && !this.#transaction?.failed ? (this.#transaction?.changes ?? []) : [];
    const done = () => {
      this.#transaction = undefined;
      this.#instance.counterLock.release(this);
      this.#answer(opening, []);
    };
    if (changes.length === 0) return done();
    this.#commit(changes, undefined, done);
  }

  #run({ text, values, opening }: Request, run: (moment: Moment) => Outcome, waitedMs: number): void {
    const transaction = this.#transaction;
    const outcome = run(this.#moment(text, values, waitedMs));
    const { change, terminate } = outcome;
    if (terminate !== undefined) this.#instance.terminate(terminate);
    const answer = () => this.#answer(opening, outcome.rows);
    if (transaction) {
      if (change) transaction.changes.push(change);
      return answer();
    }
    const finish = () => {
      this.#instance.counterLock.release(this);
      answer();
    };
    if (outcome.flushes) return this.#answerLater(outcome, answer);
    if (!change) return finish();
    this.#commit([change], outcome.notify, finish);
  }

  /** lease_commit_write: the commit, the release of the counter, then the flush, and the answer. */
  #answerLater({ change, notify }: Outcome, answer: () => void): void {
    const { world, process, counterLock } = this.#instance;
    if (change) this.#instance.commitEarly(change, this.pid, notify);
    counterLock.release(this);
    const flushed = () => {
      if (counterLock.isHeldBy(this)) throw new Finding('a session waits for the disk with the counter locked');
      this.#instance.flush();
      answer();
    };
    world.after(this.#instance.commitMs(), flushed, process);
  }

  #commit(changes: readonly Change[], channel: string | undefined, done: () => void): void {
    const { world, process } = this.#instance;
    const commit = () => {
      this.#instance.commit(changes, this.pid, channel);
      done();
    };
    world.after(this.#instance.commitMs(), commit, process);
  }

  #moment(text: string, values: readonly Parameter[], waitedMs: number): Moment {
    const { started, file, inRecovery, world, process } = this.#instance;
    const transaction = this.#transaction;
    if (transaction?.snapshots) transaction.snapshot ??= copyOf(this.#instance.contents);
    return {
      contents: transaction?.snapshot ?? this.#instance.contents,
      text: withoutQuotes(text),
      values,
      started,
      file,
      nowMs: world.wallMs(process.skewMs),
      wallMs: this.#instance.wallMs,
      seen: this.#instance.seen,
      waitedMs,
      inRecovery,
      pid: this.pid,
      isIdle: (pid, start) => this.#instance.isIdle(pid, start),
      listeners: () => this.#instance.listeners,
    };
  }

  #fail(error: unknown): void {
    if (!(error instanceof SqlError)) return this.#instance.world.report(error);
    if (this.#transaction) this.#transaction.failed = true;
    else this.#instance.counterLock.release(this);
    this.#instance.world.trace(() => `session ${this.pid} fails: ${error.message}`);
    this.#send(errorResponse(error.code, error.message));
    // a separate message: pg's handling of an error depends on what arrives first, this or the end of the session
    this.#send(readyForQuery(this.#transaction ? 'E' : 'I'));
    this.#finished();
  }

  #answer(opening: string, found: Outcome['rows']): void {
    const status = this.#transaction ? (this.#transaction.failed ? 'E' : 'T') : 'I';
    this.#send(opening + rows(found) + commandComplete(found.length) + readyForQuery(status));
    this.#finished();
  }

  #finished(): void {
    this.#busy = false;
    if (!this.#open) return this.#end();
    if (this.#transaction) {
      this.#cancelIdle = this.#instance.world.after(IDLE_IN_TRANSACTION_MS, () => this.terminate(), this.#instance.process);
    }
    this.#next();
  }

  #send(messages: string): void {
    this.#socket.deliver(bytesOf(messages));
  }

  #end(): void {
    this.#cancelIdle?.();
    this.#transaction = undefined;
    this.#instance.counterLock.release(this);
    this.#instance.forget(this);
  }
}
