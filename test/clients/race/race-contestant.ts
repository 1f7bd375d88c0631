import type { TcpLink } from '../../support/tcp-link.js';
import { ClientProcess } from '../client-process.js';

/**
 * SQL, client-go, fabric8, the TypeScript package, curl at the lock endpoint, and `coordination-apiserver elect` at the server and straight in
 * its database.
 */
const CLIENTS = ['sql', 'go', 'fabric8', 'typescript', 'curl', 'shell', 'shelldb'] as const;
/** Programs of frameworks, whose jobs write under their tokens (docs/frameworks.md). */
export const FRAMEWORKS = ['apscheduler', 'celery', 'shedlock', 'spring', 'rufus', 'cron'] as const;
export type Framework = (typeof FRAMEWORKS)[number];
export const KINDS = [...CLIENTS, ...FRAMEWORKS];
export type Kind = (typeof KINDS)[number];

/** The programs of client-go and fabric8 have lost the lease; the shell's did not reach its server when it started, or lost the lease. */
const ENDS: readonly unknown[] = [0, 69, 76];

/** The command that starts a program of this kind as the candidate of this name. */
export type Launch = (identity: string) => readonly [command: string, ...args: string[]];

export interface Place {
  readonly kind: Kind;
  readonly number: number;
  readonly lease: string;
  readonly proxy: TcpLink;
  readonly launch: Launch;
}

/** What a client said when it had acquired the lease. */
export interface Belief {
  readonly holder: string;
  readonly token: bigint | undefined;
}

/** How writes have ended. */
export interface Writes {
  readonly committed: number;
  readonly stale: number;
  /** Neither: a connection failed, or an answer took too long. */
  readonly unknown: number;
}

/** A program that competes for a lease, started again under a new name when it has ended. */
export class RaceContestant {
  readonly place: Place;
  readonly #earlier: string[] = [];
  #process: ClientProcess | undefined;
  #generation = 0;
  #killed = false;

  constructor(place: Place) {
    this.place = place;
    this.start();
  }

  get identity(): string {
    return `${this.place.kind}-${this.place.number}.${this.#generation}`;
  }

  /** The output of all its processes. */
  get lines(): readonly string[] {
    return [...this.#earlier, ...(this.#process?.lines ?? [])];
  }

  get hasLed(): boolean {
    return this.lines.some((line) => line.startsWith('leading '));
  }

  get wasKilled(): boolean {
    return this.#killed;
  }

  start(): void {
    this.#earlier.push(...(this.#process?.lines ?? []));
    this.#generation++;
    this.#killed = false;
    const [command, ...args] = this.place.launch(this.identity);
    this.#process = new ClientProcess(command, args);
  }

  pause(): void {
    this.#process?.signal('SIGSTOP');
  }

  resume(): void {
    this.#process?.signal('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#killed = true;
    this.resume();
    await this.#process?.kill();
  }

  /** Starts it again if it has ended in a way that is expected of it. Any other end is an error. */
  revive(): void {
    const ended = this.#process?.ended;
    if (ended === undefined || this.#killed) return;
    if (!ENDS.includes(ended)) throw new Error(`${this.identity} has ended (${ended}):\n${this.lines.slice(-20).join('\n')}`);
    this.start();
  }

  /** The terms that its processes believed to have, with their tokens where the client knows them. */
  get beliefs(): readonly Belief[] {
    return this.lines.flatMap((line) => {
      const [, holder, token] = /^leading (\S+)(?: (\d+))?$/.exec(line) ?? [];
      return holder === undefined ? [] : [{ holder, token: token === undefined ? undefined : BigInt(token) }];
    });
  }

  /** The name under which the running process believes to hold the lease, if it does. */
  get leadsAs(): string | undefined {
    if (this.#process?.ended !== undefined) return undefined;
    const last = this.#process?.lines.findLast((line) => /^(leading|lost) /.test(line));
    return /^leading (\S+)/.exec(last ?? '')?.[1];
  }
}

/** The sum of the lines "wrote COMMITTED STALE UNKNOWN", and of the lines "written TOKEN" and "refused TOKEN" of single writes. */
export function writesOf(lines: readonly string[]): Writes {
  const sum = { committed: 0, stale: 0, unknown: 0 };
  for (const line of lines) {
    if (/^written \d+$/.test(line)) sum.committed++;
    if (/^refused \d+$/.test(line)) sum.stale++;
    const [, committed, stale, unknown] = /^wrote (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    sum.committed += Number(committed ?? 0);
    sum.stale += Number(stale ?? 0);
    sum.unknown += Number(unknown ?? 0);
  }
  return sum;
}
