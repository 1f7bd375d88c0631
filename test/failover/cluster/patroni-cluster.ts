import path from 'node:path';
import { eventually } from '../../support/eventually.js';
import { type DatabaseCluster, DATABASE, DATABASE_PASSWORD, DATABASE_USER } from './database-cluster.js';
import { DatabaseNode } from './database-node.js';
import type { Etcd } from './etcd.js';
import { versionOf } from './find-programs.js';
import { freePorts } from './free-ports.js';
import { patroniConfig, SCOPE } from './patroni-config.js';
import type { ProgramRunner } from './program-runner.js';
import { queryNode } from './query-node.js';
import { replicationTrouble } from './replication-trouble.js';
import { TcpLink } from '../../support/tcp-link.js';

export interface PatroniOptions {
  readonly dir: string;
  readonly nodes: number;
  readonly synchronous: boolean;
  readonly binDir: string;
  readonly patroni: string;
  readonly runner: ProgramRunner;
  readonly etcd: Etcd;
}

interface Member {
  readonly node: DatabaseNode;
  readonly restPort: number;
}

/** Nodes under Patroni with etcd. Each node reaches etcd and the others' PostgreSQL through links of its own. */
export class PatroniCluster implements DatabaseCluster {
  readonly failsOverOnCrash = true;
  readonly failsOverOnSilentManager = true;
  readonly rebuildsNodes = true;
  readonly patienceMs = 3_000;
  readonly #options: PatroniOptions;
  readonly #members: readonly Member[];

  private constructor(options: PatroniOptions, members: readonly Member[]) {
    this.#options = options;
    this.#members = members;
  }

  static async prepare(options: PatroniOptions): Promise<PatroniCluster> {
    const ports = await freePorts(2 * options.nodes);
    const members: Member[] = [];
    for (let at = 0; at < options.nodes; at++) {
      members.push(await prepareMember(options, `node-${at + 1}`, ports[2 * at] ?? 0, ports[2 * at + 1] ?? 0));
    }
    return new PatroniCluster(options, members);
  }

  get nodes(): readonly DatabaseNode[] {
    return this.#members.map(({ node }) => node);
  }

  get description(): string {
    return `${versionOf(this.#options.patroni)}, ${versionOf(`${this.#options.binDir}/postgres`)}`;
  }

  async start(): Promise<void> {
    for (const { node } of this.#members) node.start();
    await eventually(
      async () => (await this.trouble()) === undefined,
      () => `Patroni does not bring the cluster up: see ${this.#options.dir}`,
      120_000,
    );
    const primary = (await this.#primary())?.node.endpoint;
    if (!primary) throw new Error('the primary is gone again');
    await queryNode(primary, `create role ${DATABASE_USER} login password '${DATABASE_PASSWORD}'`);
    await queryNode(primary, `create database ${DATABASE} owner ${DATABASE_USER} encoding 'UTF8' template template0`);
  }

  async isPrimary(node: DatabaseNode): Promise<boolean> {
    const member = this.#members.find((each) => each.node === node);
    return (await this.#rest(member, '/primary')) === 200;
  }

  async trouble(standbys = this.#members.length - 1): Promise<string | undefined> {
    const primary = await this.#primary();
    if (!primary) return 'there is no primary';
    const { synchronous } = this.#options;
    const others = this.nodes.filter((node) => node !== primary.node).map(({ endpoint }) => endpoint);
    const trouble = await replicationTrouble({ primary: primary.node.endpoint, others, standbys, synchronous });
    if (trouble !== undefined || !synchronous) return trouble;
    // PostgreSQL may know a synchronous standby seconds before etcd does; until then no node may be promoted.
    const asked = await Promise.all(this.#members.map((member) => this.#rest(member, '/synchronous')));
    return asked.includes(200) ? undefined : 'no standby may be promoted';
  }

  async rebuild(): Promise<void> {
    const primary = await this.#primary();
    if (!primary) return;
    const rows = await queryNode<{ name: string }>(
      primary.node.endpoint,
      "select application_name as name from pg_stat_replication where state = 'streaming'",
    );
    const following = new Set(rows.map(({ name }) => name));
    for (const { node } of this.#members) {
      if (node === primary.node || following.has(node.name)) continue;
      await node.kill();
      node.wipe();
      node.start();
    }
  }

  async switchover(from: DatabaseNode): Promise<void> {
    const member = this.#members.find((each) => each.node === from);
    await fetch(`http://127.0.0.1:${member?.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined); // whether there was a failover shows in which node is the primary
  }

  async backup(): Promise<string> {
    const { runner, binDir, dir } = this.#options;
    const primary = await this.#primary();
    if (!primary) throw new Error('there is no primary to copy');
    const copy = path.join(dir, `backup-${Date.now()}`);
    runner.makeDirectory(copy);
    const { port, host } = primary.node.endpoint;
    const args = ['-D', copy, '-h', host, '-p', String(port), '-U', 'replicator', '-X', 'stream', '-c', 'fast', '--no-sync'];
    const { code, output } = await runner.run(`${binDir}/pg_basebackup`, args, dir);
    if (code !== 0) throw new Error(`pg_basebackup failed (${code}): ${output}`);
    return copy;
  }

  /** The first node gets the data and becomes the primary of a new timeline; the others copy it. */
  async restore(backup: string): Promise<void> {
    for (const { node } of this.#members) node.wipe();
    await this.#options.etcd.forget(`/service/${SCOPE}/`);
    const [first, ...others] = this.#members;
    if (!first) return;
    const { code, output } = await this.#options.runner.run('cp', ['-a', backup, first.node.dataDir], this.#options.dir);
    if (code !== 0) throw new Error(`the backup cannot be copied: ${output}`);
    first.node.start();
    await eventually(
      async () => await this.isPrimary(first.node),
      () => `the restored node does not become the primary: see ${this.#options.dir}/${first.node.name}.log`,
      60_000,
    );
    for (const { node } of others) node.start();
  }

  async stop(): Promise<void> {
    for (const { node } of this.#members) {
      await node.kill();
      await node.closeLinks();
    }
    await this.#options.etcd.stop();
  }

  async #primary(): Promise<Member | undefined> {
    const primaries = await Promise.all(this.#members.map(({ node }) => this.isPrimary(node)));
    return this.#members[primaries.indexOf(true)];
  }

  async #rest(member: Member | undefined, resource: string): Promise<number> {
    try {
      const response = await fetch(`http://127.0.0.1:${member?.restPort}${resource}`, { signal: AbortSignal.timeout(1_000) });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }
}

async function prepareMember(options: PatroniOptions, name: string, port: number, restPort: number): Promise<Member> {
  const { runner, etcd, binDir, synchronous } = options;
  const dir = path.join(options.dir, name);
  runner.makeDirectory(dir);
  const endpoint = { host: '127.0.0.1', port };
  const replicationLink = await TcpLink.start(endpoint);
  const managerLink = await TcpLink.start({ host: '127.0.0.1', port: etcd.port });
  const stateLink = await TcpLink.start({ host: '127.0.0.1', port: restPort });
  const file = path.join(dir, 'patroni.json');
  const ports = { restPort, advertisedPort: replicationLink.port, advertisedRestPort: stateLink.port, etcdPort: managerLink.port };
  runner.writeFile(file, patroniConfig({ name, dir, binDir, endpoint, ...ports, synchronous }));
  const manager = [options.patroni, file] as const;
  return { restPort, node: new DatabaseNode({ name, dir, runner, endpoint, replicationLink, managerLink, stateLink, manager }) };
}
