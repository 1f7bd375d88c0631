import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../toolchain.js';
import { filesOf } from '../documented/documented-program.js';

/** How a contender reaches its lease: everything but `directUrl` leads through what the contest disturbs. */
export interface Way {
  readonly lease: string;
  readonly databaseUrl: string;
  /** For what a program does beside its lease. */
  readonly directUrl: string;
  readonly server: string;
  readonly token: string;
  readonly caFile: string;
  readonly kubeconfig: string;
}

export interface Command {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A program of the documentation. Its work is to print "begins MS" for each job or step that it begins, by the wall clock, and nothing else: one that
 * waits for PostgreSQL begins no other.
 */
export interface Recipe {
  /** Also its lease's. */
  readonly name: string;
  readonly via: 'database' | 'server';
  readonly needs: readonly Tool[];
  /** Whether it prints `leading`, and `lost` or `no longer leading`, as it learns of them; others only stop to begin jobs. */
  readonly tells: boolean;
  /** Builds it in a folder of its own. */
  readonly build: (folder: string, lease: string) => Promise<(way: Way) => Command>;
}

/** The lease of every page. */
const LEASE = 'nightly-report';

/** Where a reader puts his work, and what the contest puts there. */
export interface Work {
  readonly file: string;
  readonly place: string;
  readonly work: string;
}

/** Writes the programs of a page into a folder, with another lease and the contest's work. */
export function writePage(page: string, folder: string, lease: string, works: readonly Work[]): void {
  for (const [name, text] of filesOf(page)) write(path.join(folder, name), text.replaceAll(LEASE, lease));
  for (const work of works) putIn(folder, work);
}

/** The same for a folder of `examples`, whose programs find their lease in the environment. */
export function writeExample(name: string, folder: string, works: readonly Work[]): void {
  const from = path.resolve(import.meta.dirname, '../../../examples', name);
  cpSync(from, folder, { recursive: true, filter: (file) => !/\/(target|__pycache__)$/.test(file) });
  for (const work of works) putIn(folder, work);
}

function putIn(folder: string, { file, place, work }: Work): void {
  const [before, after, ...more] = readFileSync(path.join(folder, file), 'utf8').split(place);
  if (before === undefined || after === undefined || more.length > 0) throw new Error(`${file} must have "${place}" exactly once`);
  write(path.join(folder, file), before + work + after);
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
