import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { type Answer, type Ask, Http2Client } from '../support/http-client.js';
import type { WireObject } from '../support/wire-object.js';

const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const DURATION_SECONDS = 40;
const TRIES = 5;

export interface HeartbeatOptions {
  readonly nodes: number;
  readonly everyMs?: number;
  /** The uid of each node that exists as an object; its lease refers to it. */
  readonly owners?: ReadonlyMap<string, string>;
}

/** Renews the leases of nodes as a kubelet does (component-helpers apimachinery/lease): the last known object, read again after a conflict. */
export class Heartbeats {
  readonly #url: string;
  #client: Http2Client;
  readonly #nodes: readonly string[];
  readonly #everyMs: number;
  readonly #owners: ReadonlyMap<string, string> | undefined;
  readonly #known = new Map<string, WireObject>();
  readonly #renewed = new Map<string, number>();
  #longestGapMs = 0;
  #stopped = false;
  #running: Promise<void>[] = [];

  constructor(url: string, { nodes, everyMs = 10_000, owners }: HeartbeatOptions) {
    this.#owners = owners;
    this.#url = url;
    this.#client = new Http2Client(url);
    this.#nodes = nodeNames(nodes);
    this.#everyMs = everyMs;
  }

  /** Resolves once every node has renewed its lease. */
  async start(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => this.#renew(node)));
    this.#running = this.#nodes.map((node) => this.#follow(node));
  }

  /** The longest time between two renewals of one node so far. */
  get longestGapMs(): number {
    const open = [...this.#renewed.values()].map((at) => performance.now() - at);
    return Math.max(this.#longestGapMs, ...open);
  }

  /** Begins to measure anew. */
  forgetGaps(): void {
    this.#longestGapMs = 0;
    for (const node of this.#renewed.keys()) this.#renewed.set(node, performance.now());
  }

  /** Resolves once every node has renewed its lease after this call. */
  async allRenewed(withinMs: number): Promise<void> {
    const since = performance.now();
    await eventually(
      () => [...this.#renewed.values()].every((at) => at > since),
      () => `${[...this.#renewed.values()].filter((at) => at <= since).length} nodes renew no more`,
      withinMs,
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#client.session.close();
  }

  #ask(path: string, request?: Ask): Promise<Answer> {
    if (this.#client.session.closed || this.#client.session.destroyed) this.#client = new Http2Client(this.#url);
    return this.#client.ask(path, request);
  }

  async #follow(node: string): Promise<void> {
    await sleep(Math.random() * this.#everyMs);
    while (!this.#stopped) {
      await this.#renew(node);
      await sleep(this.#everyMs);
    }
  }

  async #renew(node: string): Promise<void> {
    for (let tries = 0; tries < TRIES && !this.#stopped; tries++) {
      const known = this.#known.get(node) ?? (await this.#read(node));
      const { status, json } = await (known ? this.#put(node, known) : this.#create(node)).catch(() => ({ status: 0, json: {} }));
      if (status === 200 || status === 201) {
        this.#known.set(node, json);
        this.#note(node);
        return;
      }
      this.#known.delete(node);
    }
  }

  #note(node: string): void {
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - (this.#renewed.get(node) ?? now));
    this.#renewed.set(node, now);
  }

  async #read(node: string): Promise<WireObject | undefined> {
    const { status, json } = await this.#ask(`${NODE_LEASES}/${node}`).catch(() => ({ status: 0, json: undefined }));
    return status === 200 ? json : undefined;
  }

  #put(node: string, known: WireObject) {
    return this.#ask(`${NODE_LEASES}/${node}`, { method: 'PUT', body: { ...known, spec: specOf(node) } });
  }

  #create(node: string) {
    const uid = this.#owners?.get(node);
    const ownerReferences = uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'Node', name: node, uid }];
    return this.#ask(NODE_LEASES, { method: 'POST', body: { metadata: { name: node, ownerReferences }, spec: specOf(node) } });
  }
}

export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `node-${at}`);
}

function specOf(node: string): object {
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
  return { holderIdentity: node, leaseDurationSeconds: DURATION_SECONDS, renewTime };
}
