import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ApiClient } from './clients/api-client.js';
import type { DatabaseCluster } from './cluster/database-cluster.js';
import { freePorts } from './cluster/free-ports.js';
import { PrimaryAddress } from './primary-address.js';

/** Short, so that the log rotates often between two failovers, and some watches start before the compaction. */
const FLAGS = ['--compaction-interval=12s', '--logging-format=json'];

/** A built server as a child process, with its own database address and a port that it keeps across restarts. */
export class FleetServer {
  readonly index: number;
  readonly address: PrimaryAddress;
  readonly client: ApiClient;
  readonly port: number;
  readonly dataDir: string;
  #process: ServerProcess | undefined;
  #output = '';

  constructor(index: number, address: PrimaryAddress, port: number, dataDir: string) {
    this.index = index;
    this.address = address;
    this.port = port;
    this.dataDir = dataDir;
    this.client = new ApiClient(index, () => `https://127.0.0.1:${port}`);
  }

  get running(): ServerProcess {
    if (!this.#process) throw new Error(`server ${this.index} does not run`);
    return this.#process;
  }

  /** Starts it, repeatedly while there is no primary, like a supervisor. */
  async start(withinMs = 60_000): Promise<void> {
    const until = performance.now() + withinMs;
    for (;;) {
      try {
        const { port, dataDir } = this;
        this.#process = await startServerProcess({ databaseUrl: this.address.url, dataDir, port, flags: FLAGS });
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(500);
      }
    }
  }

  async kill(): Promise<void> {
    const ending = this.#process;
    ending?.signal('SIGCONT');
    await ending?.kill();
    this.#output += ending?.output() ?? '';
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name);
  }

  /** Writes its output to a file. */
  saveLog(dir: string): void {
    writeFileSync(path.join(dir, `server-${this.index}.log`), this.#output);
  }
}

export class Fleet {
  readonly servers: readonly FleetServer[];

  private constructor(servers: readonly FleetServer[]) {
    this.servers = servers;
  }

  static async start(cluster: DatabaseCluster, count: number, dir: string): Promise<Fleet> {
    const ports = await freePorts(count);
    const servers: FleetServer[] = [];
    for (const [at, port] of ports.entries()) {
      const dataDir = path.join(dir, `server-${at + 1}`);
      mkdirSync(dataDir);
      servers.push(new FleetServer(at + 1, await PrimaryAddress.start(cluster), port, dataDir));
    }
    const fleet = new Fleet(servers);
    try {
      for (const server of servers) await server.start();
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.servers.map(async (server) => {
        await server.kill();
        server.client.close();
        await server.address.stop();
      }),
    );
  }
}
