import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { Heartbeats, nodeNames } from './heartbeats.js';
import type { RealCluster } from './real-cluster.js';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
/** How often a kubelet reports the status of its node if nothing changes. */
const STATUS_MS = 300_000;
/** Requests under way while nodes and pods are made. */
const AT_ONCE = 20;
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** A mark on the node ends the pod at once, so that none is overlooked. */
const TOLERATIONS = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 0,
}));

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

interface Listed {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation?: number; readonly deletionTimestamp?: string };
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[];
}

/** What a cluster shows of its nodes. Whatever was lost meanwhile and has returned has another uid, transition time or generation. */
export interface NodesState {
  /** Name, and when the node became ready; of the nodes that are ready and not tainted. */
  readonly ready: ReadonlyMap<string, string>;
  /** Name, and uid with the time when it became ready; of the pods that are ready and not being deleted. */
  readonly pods: ReadonlyMap<string, string>;
  /** Ready endpoints. */
  readonly endpoints: number;
  /** Names and generations of the slices that have them. */
  readonly slices: string;
}

/** Nodes without a machine, each with a pod that runs, and a Service of all these pods. Their heartbeats are those of kubelets. */
export class HollowNodes {
  readonly heartbeats: Heartbeats;
  readonly #cluster: RealCluster;
  readonly #names: readonly string[];
  readonly #uids = new Map<string, string>();
  readonly #stopped = new AbortController();
  #reporting: Promise<void> | undefined;

  constructor(cluster: RealCluster, nodes: number) {
    this.#cluster = cluster;
    this.#names = nodeNames(nodes);
    this.heartbeats = new Heartbeats(cluster.url, { nodes, owners: this.#uids });
  }

  /** Resolves once all nodes and pods are ready in the eyes of kube-controller-manager. */
  async start(): Promise<void> {
    const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
    await this.#expect('/api/v1/namespaces/default/services', { method: 'POST', body: { metadata: { name: 'web' }, spec } });
    await this.#each(async (name) => {
      const { metadata } = await this.#expect<Listed>(NODES, { method: 'POST', body: nodeOf(name) });
      this.#uids.set(name, metadata.uid);
    });
    await this.heartbeats.start();
    await this.#each((name, at) => this.#startPod(name, at));
    this.#reporting = this.#report();
    let state: NodesState | undefined;
    await eventually(
      async () => {
        await sleep(1000);
        state = await this.state();
        return [state.ready.size, state.pods.size, state.endpoints].every((count) => count === this.#names.length);
      },
      () => `${state?.ready.size} nodes, ${state?.pods.size} pods and ${state?.endpoints} endpoints are ready`,
      300_000,
    );
  }

  async state(): Promise<NodesState> {
    const nodes = await this.#list(NODES);
    const pods = await this.#list(PODS);
    const slices = await this.#list(SLICES, '&labelSelector=kubernetes.io/service-name=web');
    return {
      ready: readySince(nodes.filter(({ spec }) => (spec?.taints ?? []).length === 0)),
      pods: readySince(pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)),
      endpoints: slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready).length,
      slices: slices
        .map(({ metadata: { name, generation } }) => `${name} ${generation}`)
        .sort()
        .join(', '),
    };
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.heartbeats.stop(), this.#reporting]);
  }

  async #startPod(node: string, at: number): Promise<void> {
    const pod = {
      metadata: { name: `web-${at}`, labels: { app: 'web' } },
      spec: { nodeName: node, containers: [{ name: 'web', image: 'web' }], tolerations: TOLERATIONS },
    };
    await this.#expect(PODS, { method: 'POST', body: pod });
    const status = {
      phase: 'Running',
      podIP: `10.1.${at >> 8}.${at & 255}`,
      podIPs: [{ ip: `10.1.${at >> 8}.${at & 255}` }],
      conditions: ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map(fulfilled),
    };
    await this.#expect(`${PODS}/web-${at}/status`, { method: 'PATCH', headers: MERGE, body: { status } });
  }

  /** Every node reports its status from time to time, as long as its cluster answers. */
  async #report(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      for (const name of this.#names) {
        await sleep(STATUS_MS / this.#names.length, undefined, { signal }).catch(() => undefined); // the end of the wait
        if (signal.aborted) return;
        const { json } = await this.#cluster.ask(`${NODES}/${name}`).catch(() => ({ json: undefined }));
        const conditions = (json as unknown as Listed | undefined)?.status?.conditions?.map((condition) => ({
          ...condition,
          lastHeartbeatTime: now(),
        }));
        if (!conditions) continue;
        const request = { method: 'PATCH', headers: MERGE, body: { status: { conditions } } };
        await this.#cluster.ask(`${NODES}/${name}/status`, request).catch(() => undefined); // reported again in its turn
      }
    }
  }

  async #list(collection: string, selector = ''): Promise<Listed[]> {
    const { status, text, json } = await this.#cluster.ask(`${collection}?resourceVersion=0${selector}`);
    if (status !== 200) throw new Error(`${collection}: ${status} ${text}`);
    return (json as unknown as { items: Listed[] }).items;
  }

  async #expect<Made>(...[path, request]: Parameters<RealCluster['ask']>): Promise<Made> {
    const { status, text, json } = await this.#cluster.ask(path, request);
    if (status >= 300) throw new Error(`${request?.method} ${path}: ${status} ${text}`);
    return json as unknown as Made;
  }

  async #each(work: (name: string, at: number) => Promise<void>): Promise<void> {
    const rest = this.#names.entries();
    const worker = async () => {
      for (const [at, name] of rest) await work(name, at);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
}

function nodeOf(name: string): object {
  const resources = { cpu: '4', memory: '8Gi', pods: '110' };
  const conditions = [
    fulfilled('Ready'),
    ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ ...fulfilled(type), status: 'False' })),
  ];
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { capacity: resources, allocatable: resources, conditions, addresses: [{ type: 'Hostname', address: name }] },
  };
}

function fulfilled(type: string): object {
  return { type, status: 'True', reason: 'Hollow', lastHeartbeatTime: now(), lastTransitionTime: now() };
}

function readySince(objects: readonly Listed[]): Map<string, string> {
  return new Map(
    objects.flatMap(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'True' ? [[metadata.name, `${metadata.uid} ${ready.lastTransitionTime}`] as const] : [];
    }),
  );
}

function now(): string {
  return `${new Date().toISOString().slice(0, -5)}Z`;
}
