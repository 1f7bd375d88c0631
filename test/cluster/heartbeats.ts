import { setTimeout as sleep } from 'node:timers/promises';
import { Http2Client } from '../support/http-client.js';
import type { WireObject } from '../support/wire-object.js';

const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const DURATION_SECONDS = 40;
const TRIES = 5;

/** Renews the leases of nodes as a kubelet does (component-helpers apimachinery/lease): the last known object, read again after a conflict. */
export class Heartbeats {
  readonly #client: Http2Client;
  readonly #nodes: readonly string[];
  readonly #everyMs: number;
  readonly #known = new Map<string, WireObject>();
  readonly #renewed = new Map<string, number>();
  #longestGapMs = 0;
  #stopped = false;
  #running: Promise<void>[] = [];

  constructor(url: string, { nodes, everyMs = 10_000 }: { readonly nodes: number; readonly everyMs?: number }) {
    this.#client = new Http2Client(url);
    this.#nodes = Array.from({ length: nodes }, (_, at) => `node-${at}`);
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

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#client.session.close();
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
    const { status, json } = await this.#client.ask(`${NODE_LEASES}/${node}`).catch(() => ({ status: 0, json: undefined }));
    return status === 200 ? json : undefined;
  }

  #put(node: string, known: WireObject) {
    return this.#client.ask(`${NODE_LEASES}/${node}`, { method: 'PUT', body: { ...known, spec: specOf(node) } });
  }

  #create(node: string) {
    return this.#client.ask(NODE_LEASES, { method: 'POST', body: { metadata: { name: node }, spec: specOf(node) } });
  }
}

function specOf(node: string): object {
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
  return { holderIdentity: node, leaseDurationSeconds: DURATION_SECONDS, renewTime };
}
