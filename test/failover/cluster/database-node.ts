import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { killAllIn, postmasterOf, processesIn, processTree, signalAll } from './processes.js';
import type { ProgramRunner } from './program-runner.js';
import type { Endpoint, TcpLink } from '../../support/tcp-link.js';

export interface DatabaseNodeOptions {
  readonly name: string;
  readonly dir: string;
  readonly runner: ProgramRunner;
  /** The endpoint of its PostgreSQL. */
  readonly endpoint: Endpoint;
  /** The link through which other nodes reach its PostgreSQL. */
  readonly replicationLink: TcpLink;
  /** The link through which it reaches the DCS or the monitor. */
  readonly managerLink: TcpLink;
  /** The link through which other nodes' managers query its state; absent if they do not. */
  readonly stateLink?: TcpLink;
  /** The manager's command. */
  readonly manager: readonly [file: string, ...args: string[]];
}

/** A machine with a manager and its PostgreSQL; all of its processes work in one directory. */
export class DatabaseNode {
  readonly name: string;
  readonly dir: string;
  readonly endpoint: Endpoint;
  readonly replicationLink: TcpLink;
  readonly managerLink: TcpLink;
  readonly #options: DatabaseNodeOptions;
  #manager: ChildProcess | undefined;
  #stopped: number[] = [];

  constructor(options: DatabaseNodeOptions) {
    this.#options = options;
    ({ name: this.name, dir: this.dir, endpoint: this.endpoint } = options);
    ({ replicationLink: this.replicationLink, managerLink: this.managerLink } = options);
  }

  get dataDir(): string {
    return path.join(this.dir, 'data');
  }

  get runs(): boolean {
    return this.#manager !== undefined && this.#manager.exitCode === null && this.#manager.signalCode === null;
  }

  start(): void {
    if (this.runs) return;
    const [file, ...args] = this.#options.manager;
    this.#manager = this.#options.runner.start(file, args, this.dir, path.join(this.dir, '..', `${this.name}.log`));
  }

  /** Kills only the postmaster, with SIGKILL; its children end when they notice. Returns false if there is none. */
  killPostmaster(): boolean {
    const pid = postmasterOf(this.dataDir);
    if (pid !== undefined) signalAll([pid], 'SIGKILL');
    return pid !== undefined;
  }

  /** Kills everything at once, like a power cut after which data handed to the kernel survives. */
  async kill(): Promise<void> {
    signalAll(this.#everything(), 'SIGKILL');
    await killAllIn(this.dir);
    this.#manager = undefined;
    this.#stopped = [];
  }

  pause(what: 'everything' | 'manager' | 'postgres'): void {
    const manager = processTree(this.#manager?.pid ?? 0);
    const postgres = this.#postgres();
    const only = { everything: this.#everything(), manager: manager.filter((pid) => !postgres.includes(pid)), postgres };
    this.#stopped = only[what].filter((pid) => pid > 0);
    signalAll(this.#stopped, 'SIGSTOP');
  }

  resume(): void {
    signalAll(this.#stopped, 'SIGCONT');
    this.#stopped = [];
  }

  /** Deletes the data, so that the manager has to make a new copy. The node must not be running. */
  wipe(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** Cuts it off from the DCS or the monitor, and from all other nodes. */
  isolate(): void {
    for (const link of this.#links) link.mute();
  }

  heal(): void {
    for (const link of this.#links) link.heal();
    this.resume();
  }

  async closeLinks(): Promise<void> {
    for (const link of this.#links) await link.close();
  }

  get #links(): TcpLink[] {
    const { stateLink } = this.#options;
    return [this.replicationLink, this.managerLink, ...(stateLink ? [stateLink] : [])];
  }

  #everything(): number[] {
    const manager = this.runs ? processTree(this.#manager?.pid ?? 0) : [];
    return [...new Set([...manager, ...processesIn(this.dir)])].filter((pid) => pid > 0);
  }

  #postgres(): number[] {
    const pid = postmasterOf(this.dataDir);
    return pid === undefined ? [] : processTree(pid);
  }
}
