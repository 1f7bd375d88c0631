import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import type pg from 'pg';
import { type Version, beginsTerm } from './history-violations.js';
import { versionsOf } from './lease-log.js';
import type { RecipeTable } from './recipe-table.js';

/**
 * A program that writes under the tokens of all terms, also of those whose holders write nothing themselves. When a term begins, a row of the
 * recipe's table is written under its token, and one under the token before, like one that was in transit.
 */
export class TokenWriters {
  readonly lines: string[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #exited: Promise<unknown>;
  readonly #database: pg.Pool;
  readonly #recipe: RecipeTable;
  readonly #last: Map<string, Version | undefined>;
  readonly #tokens = new Map<string, bigint>();

  constructor([command, ...args]: readonly [string, ...string[]], leases: readonly string[], database: pg.Pool, recipe: RecipeTable) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exited = once(this.#child, 'exit');
    createInterface(this.#child.stdout).on('line', (line) => this.lines.push(line));
    this.#database = database;
    this.#recipe = recipe;
    this.#last = new Map(leases.map((lease) => [lease, undefined]));
  }

  /** Tells it the tokens of terms that have begun since. */
  async tell(): Promise<void> {
    if (this.#child.exitCode !== null) throw new Error(`the writers have ended (${this.#child.exitCode})`);
    for (const [lease, last] of this.#last) {
      let before = last;
      for (const version of await versionsOf(this.#database, lease, last?.revision)) {
        if (beginsTerm(version, before)) await this.#begin(lease, version);
        before = version;
      }
      this.#last.set(lease, before);
    }
  }

  async #begin(lease: string, { revision, holder }: Version): Promise<void> {
    this.#child.stdin.write(`${lease} ${revision}\n`);
    await this.#recipe.write(lease, revision, holder);
    const before = this.#tokens.get(lease);
    if (before !== undefined) await this.#recipe.write(lease, before, 'an earlier holder');
    this.#tokens.set(lease, revision);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
