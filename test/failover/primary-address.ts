import { Repeated } from './clients/repeated.js';
import { type DatabaseCluster, DATABASE, DATABASE_PASSWORD, DATABASE_USER } from './cluster/database-cluster.js';
import type { DatabaseNode } from './cluster/database-node.js';
import { TcpLink } from '../support/tcp-link.js';

const INTERVAL_MS = 300;
const FALL = 2;

/**
 * An address that leads to the primary, like HAProxy with a health check and `on-marked-down shutdown-sessions`: a node that fails its
 * check twice is left, its connections are reset, and the next node that passes is used. A node that still passes is kept, even if another
 * one passes as well.
 */
export class PrimaryAddress {
  readonly link: TcpLink;
  readonly #cluster: DatabaseCluster;
  readonly #unreachable = new Set<DatabaseNode>();
  #node: DatabaseNode | undefined;
  #failures = 0;
  #held = false;
  readonly #checking = new Repeated(() => this.#check(), INTERVAL_MS);

  private constructor(link: TcpLink, cluster: DatabaseCluster) {
    this.link = link;
    this.#cluster = cluster;
  }

  static async start(cluster: DatabaseCluster): Promise<PrimaryAddress> {
    const address = new PrimaryAddress(await TcpLink.start(), cluster);
    address.#checking.start();
    return address;
  }

  get url(): string {
    return `postgresql://${DATABASE_USER}:${DATABASE_PASSWORD}@127.0.0.1:${this.link.port}/${DATABASE}`;
  }

  /** The current target. */
  get node(): DatabaseNode | undefined {
    return this.#node;
  }

  /** Cuts the connection to a node: connections fall silent, and the check fails. */
  cutFrom(node: DatabaseNode): void {
    this.#unreachable.add(node);
    if (this.#node === node) this.link.mute();
  }

  /** Leads to this node, whatever its role, until `heal`: an outdated address. */
  leadAstray(node: DatabaseNode): void {
    this.#held = true;
    this.#take(node);
  }

  heal(): void {
    this.#held = false;
    this.#unreachable.clear();
    this.link.heal();
  }

  async stop(): Promise<void> {
    await this.#checking.stop();
    await this.link.close();
  }

  async #check(): Promise<void> {
    if (this.#held) return;
    const passing = await Promise.all(this.#cluster.nodes.map((node) => this.#passes(node)));
    if (this.#held) return;
    const kept = this.#node && passing[this.#cluster.nodes.indexOf(this.#node)];
    this.#failures = kept ? 0 : this.#failures + 1;
    if (kept || (this.#node && this.#failures < FALL)) return;
    this.#take(this.#cluster.nodes[passing.indexOf(true)]);
  }

  #take(node: DatabaseNode | undefined): void {
    if (node === this.#node) return;
    this.#node = node;
    this.link.leadTo(node?.endpoint);
    this.link.resetAll();
    this.link.heal();
  }

  async #passes(node: DatabaseNode): Promise<boolean> {
    return !this.#unreachable.has(node) && (await this.#cluster.isPrimary(node));
  }
}
