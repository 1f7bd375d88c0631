import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import type pg from 'pg';
import { type Version, beginsTerm } from './history-violations.js';
import { versionsOf } from './lease-log.js';

/** A program that writes under the tokens of all terms, also of those whose holders write nothing themselves. */
export class TokenWriters {
  readonly lines: string[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<unknown>;
  readonly #database: pg.Pool;
  readonly #last: Map<string, Version | undefined>;

  constructor([command, ...args]: readonly [string, ...string[]], leases: readonly string[], database: pg.Pool) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exited = once(this.#child, 'exit');
    createInterface(this.#child.stdout).on('line', (line) => this.lines.push(line));
    this.#database = database;
    this.#last = new Map(leases.map((lease) => [lease, undefined]));
  }

  /** Tells it the tokens of terms that have begun since. */
  async tell(): Promise<void> {
    if (this.#child.exitCode !== null) throw new Error(`the writers have ended (${this.#child.exitCode})`);
    for (const [lease, last] of this.#last) {
      let before = last;
      for (const version of await versionsOf(this.#database, lease, last?.revision)) {
        if (beginsTerm(version, before)) this.#child.stdin.write(`${lease} ${version.revision}\n`);
        before = version;
      }
      this.#last.set(lease, before);
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
