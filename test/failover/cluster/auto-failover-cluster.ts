import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../support/eventually.js';
import { type DatabaseCluster, DATABASE, DATABASE_PASSWORD, DATABASE_USER } from './database-cluster.js';
import { DatabaseNode } from './database-node.js';
import { versionOf } from './find-programs.js';
import { freePorts } from './free-ports.js';
import { killAllIn } from './processes.js';
import type { ProgramRunner } from './program-runner.js';
import { queryNode } from './query-node.js';
import { replicationTrouble } from './replication-trouble.js';
import { type Endpoint, TcpLink } from '../../support/tcp-link.js';

/** What pg_autoctl needs in its environment: the directory of PostgreSQL's sockets, and where libpq looks for them. */
export function autoFailoverEnvironment(dir: string): NodeJS.ProcessEnv {
  return { PG_REGRESS_SOCK_DIR: `${dir}/run`, PGHOST: `${dir}/run` };
}

export interface AutoFailoverOptions {
  readonly dir: string;
  readonly nodes: number;
  readonly synchronous: boolean;
  readonly binDir: string;
  readonly autoctl: string;
  readonly runner: ProgramRunner;
}

/**
 * The monitor's timings, in milliseconds. A primary that reaches neither monitor nor standby stops after NETWORK_PARTITION_SECONDS, but
 * assumes for WAL_SENDER_TIMEOUT_SECONDS that it reaches a standby, and waits some seconds for the monitor at each check.
 * primary_demote_timeout, after which a standby is promoted without confirmation of the old primary's end, must be longer than the sum.
 */
const MONITOR_SETTINGS = {
  health_check_period: 1_000,
  health_check_timeout: 1_000,
  health_check_max_retries: 1,
  health_check_retry_delay: 500,
  node_considered_unhealthy_timeout: 2_000,
  primary_demote_timeout: 8_000,
  startup_grace_period: 1_000,
};
const NETWORK_PARTITION_SECONDS = 2;
const WAL_SENDER_TIMEOUT_SECONDS = 2;
/** States in which a node has nothing left to do. */
const SETTLED = new Set(['primary', 'single', 'secondary']);
const MONITOR_DATABASE = { database: 'pg_auto_failover', user: 'autoctl_node' };

/** Nodes under pg_autoctl with a monitor. Each node listens at 127.0.1.N and is known to the others as 127.0.2.N, the address of a link. */
export class AutoFailoverCluster implements DatabaseCluster {
  readonly failsOverOnCrash = false;
  readonly failsOverOnSilentManager = false;
  readonly rebuildsNodes = false;
  /** Long: if a node is neither a standby nor dead, the monitor may wait forever instead of choosing a primary. */
  readonly patienceMs = 12_000;
  readonly nodes: readonly DatabaseNode[];
  readonly #options: AutoFailoverOptions;
  readonly #monitor: Endpoint;
  #monitorProcess: ChildProcess | undefined;

  private constructor(options: AutoFailoverOptions, monitor: Endpoint, nodes: readonly DatabaseNode[]) {
    this.#options = options;
    this.#monitor = monitor;
    this.nodes = nodes;
  }

  static async prepare(options: AutoFailoverOptions): Promise<AutoFailoverCluster> {
    const { runner, dir } = options;
    for (const name of ['config', 'share', 'run', 'monitor']) runner.makeDirectory(path.join(dir, name));
    const [monitorPort = 0, ...ports] = await freePorts(options.nodes + 1, '127.0.0.1');
    const monitor = { host: '127.0.0.1', port: monitorPort };
    const nodes: DatabaseNode[] = [];
    for (const [at, port] of ports.entries()) nodes.push(await prepareNode(options, monitor, at + 1, port));
    return new AutoFailoverCluster(options, monitor, nodes);
  }

  get description(): string {
    return `${versionOf(this.#options.autoctl)}, ${versionOf(`${this.#options.binDir}/postgres`)}`;
  }

  async start(): Promise<void> {
    await this.#startMonitor();
    for (const [at, node] of this.nodes.entries()) {
      await this.#create(node, at + 1);
      node.start();
      await this.#until(at, `${node.name} does not join`);
      await queryNode(node.endpoint, `alter system set wal_sender_timeout = '${WAL_SENDER_TIMEOUT_SECONDS}s'`);
      await queryNode(node.endpoint, 'select pg_reload_conf()');
    }
    const [first] = this.nodes;
    if (!first) return;
    await queryNode(first.endpoint, `alter role ${DATABASE_USER} password '${DATABASE_PASSWORD}'`);
    await queryNode(first.endpoint, `alter database ${DATABASE} owner to ${DATABASE_USER}`);
  }

  /** pg_autoctl has no health endpoint. A promoted standby that is kept read-only until the old primary has ended passes as well. */
  async isPrimary(node: DatabaseNode): Promise<boolean> {
    try {
      const rows = await queryNode<{ standby: boolean }>(node.endpoint, 'select pg_is_in_recovery() as standby');
      return rows[0]?.standby === false;
    } catch {
      return false;
    }
  }

  async trouble(standbys = this.nodes.length - 1): Promise<string | undefined> {
    const primaries = await Promise.all(this.nodes.map((node) => this.isPrimary(node)));
    const count = primaries.filter(Boolean).length;
    const primary = this.nodes[primaries.indexOf(true)];
    if (!primary || count > 1) return `there are ${count} primaries`;
    const states = await this.#states();
    const state = states?.get(primary.name);
    if (state !== 'primary' && state !== 'single') return `the primary's state is ${state}`;
    const ready = [...(states ?? [])].filter(([, each]) => each === 'secondary').length;
    if (ready < standbys) return `${ready} of ${standbys} standbys are secondary`;
    const others = this.nodes.filter((node) => node !== primary).map(({ endpoint }) => endpoint);
    const synchronous = this.#options.synchronous && standbys > 0;
    return replicationTrouble({ primary: primary.endpoint, others, standbys, synchronous });
  }

  /** pg_autoctl copies by itself if rewinding fails, but never gives up a node that waits for the end of another. */
  async rebuild(): Promise<void> {
    const states = await this.#states();
    const stuck = this.nodes.filter((node) => !SETTLED.has(states?.get(node.name) ?? ''));
    const silent = await this.#silentNodes();
    const dropped = silent.length > 0 ? stuck.filter(({ name }) => silent.includes(name)) : stuck;
    for (const node of dropped) await this.#drop(node);
    if (dropped.length === 0) return;
    await this.#until(0, 'no primary is chosen');
    for (const node of dropped) {
      await this.#create(node, this.nodes.indexOf(node) + 1);
      node.start();
    }
  }

  async switchover(): Promise<void> {
    const { runner, autoctl, dir } = this.#options;
    await runner.run(autoctl, ['perform', 'switchover', '--pgdata', path.join(dir, 'monitor', 'data')], dir, 30_000);
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      await node.kill();
      await node.closeLinks();
    }
    this.#monitorProcess?.kill('SIGKILL');
    await killAllIn(path.join(this.#options.dir, 'monitor'));
  }

  async #startMonitor(): Promise<void> {
    const { runner, autoctl, dir, binDir } = this.#options;
    const own = path.join(dir, 'monitor');
    const args = ['--pgdata', path.join(own, 'data'), '--pgctl', `${binDir}/pg_ctl`, '--pgport', String(this.#monitor.port)];
    const how = ['--hostname', '127.0.0.1', '--auth', 'trust', '--no-ssl', '--run'];
    this.#monitorProcess = runner.start(autoctl, ['create', 'monitor', ...args, ...how], own, path.join(dir, 'monitor.log'));
    await eventually(
      () => this.#states(),
      () => `the monitor does not start: see ${dir}/monitor.log`,
      60_000,
    );
    const { database } = MONITOR_DATABASE;
    for (const [name, value] of Object.entries(MONITOR_SETTINGS)) {
      await queryNode(this.#monitor, `alter system set pgautofailover.${name} = ${value}`, { database });
    }
    await queryNode(this.#monitor, 'select pg_reload_conf()', { database });
  }

  async #create(node: DatabaseNode, number: number): Promise<void> {
    const { runner, autoctl, binDir, synchronous } = this.#options;
    const { port } = node.managerLink;
    const args = [
      ...['create', 'postgres', '--pgdata', node.dataDir, '--pgctl', `${binDir}/pg_ctl`, '--name', node.name],
      ...['--listen', node.endpoint.host, '--pgport', String(node.endpoint.port), '--hostname', `127.0.2.${number}`],
      ...['--username', DATABASE_USER, '--dbname', DATABASE, '--auth', 'trust', '--no-ssl'],
      ...['--replication-quorum', String(synchronous)],
      ...['--monitor', `postgres://autoctl_node@127.0.0.1:${port}/pg_auto_failover`],
    ];
    const { code, output } = await runner.run(autoctl, args, node.dir, 120_000);
    if (code !== 0) throw new Error(`pg_autoctl does not make ${node.name} (${code}):\n${output}`);
    const timeout = ['timeout.network_partition_timeout', String(NETWORK_PARTITION_SECONDS)];
    await runner.run(autoctl, ['config', 'set', '--pgdata', node.dataDir, ...timeout], node.dir);
  }

  async #until(standbys: number, failure: string): Promise<void> {
    let trouble: string | undefined;
    await eventually(
      async () => (trouble = await this.trouble(standbys)) === undefined,
      () => `${failure}: ${trouble}; see ${this.#options.dir}`,
      120_000,
    );
  }

  /** Removes a node from the monitor, and deletes the node's data. */
  async #drop(node: DatabaseNode): Promise<void> {
    await node.kill();
    node.wipe();
    const { dir } = this.#options;
    for (const own of ['config', 'share']) rmSync(path.join(dir, own, 'pg_autoctl', node.dataDir), { recursive: true, force: true });
    const sql = `select pgautofailover.remove_node(nodeid, true) from pgautofailover.node where nodename = '${node.name}'`;
    await queryNode(this.#monitor, sql, MONITOR_DATABASE);
  }

  /** The state that each node last reported to the monitor; undefined if the monitor does not answer. */
  async #states(): Promise<Map<string, string> | undefined> {
    const sql = 'select nodename as name, reportedstate::text as state from pgautofailover.node';
    try {
      const rows = await queryNode<{ name: string; state: string }>(this.#monitor, sql, MONITOR_DATABASE);
      return new Map(rows.map(({ name, state }) => [name, state]));
    } catch {
      return undefined;
    }
  }

  async #silentNodes(): Promise<string[]> {
    const sql = "select nodename as name from pgautofailover.node where reporttime < now() - interval '10 s'";
    return (await queryNode<{ name: string }>(this.#monitor, sql, MONITOR_DATABASE)).map(({ name }) => name);
  }
}

async function prepareNode(options: AutoFailoverOptions, monitor: Endpoint, number: number, port: number): Promise<DatabaseNode> {
  const { runner, autoctl } = options;
  const name = `node-${number}`;
  const dir = path.join(options.dir, name);
  runner.makeDirectory(dir);
  const endpoint = { host: `127.0.1.${number}`, port };
  const replicationLink = await TcpLink.start(endpoint, { host: `127.0.2.${number}`, port });
  const managerLink = await TcpLink.start(monitor);
  const manager = [autoctl, 'run', '--pgdata', path.join(dir, 'data')] as const;
  return new DatabaseNode({ name, dir, runner, endpoint, replicationLink, managerLink, manager });
}
