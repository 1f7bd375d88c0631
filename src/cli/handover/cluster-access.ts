import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeClient, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import type { KubeTarget } from '../../kube/kube-target.js';
import { CommandError } from '../output/command-error.js';
import { FIRST_SERVER_REVISION, LEASES } from './handed-lease.js';

/** How long one request of a handover may take; a freeze is not much longer. */
export const REQUEST_TIMEOUT_MS = 10_000;

const API_SERVICE = '/apis/apiregistration.k8s.io/v1/apiservices/v1.coordination.k8s.io';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const PHASE = 'coordination-apiserver/handover';
const MERGE = 'application/merge-patch+json';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes';
/** How long one instance of kube-apiserver may take to answer. */
const INSTANCE_TIMEOUT_MS = 3000;
/** A name in the certificate of every instance. */
const EVERY_INSTANCE = 'kubernetes.default.svc';

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The state of the APIService v1.coordination.k8s.io. */
export interface LeaseRoute {
  /** Absent: kube-apiserver serves leases itself. */
  readonly service?: ServiceReference;
  /** PEM of the authority by which kube-apiserver trusts the service; '' without one. */
  readonly caBundle: string;
  /** `switched`: a takeover is to be completed; `complete`: it is. */
  readonly phase: string;
  readonly automanaged: string | undefined;
  readonly resourceVersion: string;
  readonly available: boolean;
  readonly message: string;
}

/** Which side answers requests for leases at an instance of kube-apiserver. */
export type ServedBy = 'cluster' | 'server' | 'nobody';

/** A cluster whose leases are handed over: its API, each instance of kube-apiserver that can be reached, and the route of leases. */
export class ClusterAccess {
  readonly client: KubeClient;
  readonly #target: KubeTarget;
  #instances: readonly KubeClient[] = [];
  /** Addresses of instances that cannot be reached from here. */
  unreachable: readonly string[] = [];

  constructor(target: KubeTarget) {
    this.#target = target;
    this.client = new KubeClient(target, { timeoutMs: REQUEST_TIMEOUT_MS });
  }

  /** The instances of kube-apiserver; the given address if none is reachable by its own. */
  get instances(): readonly KubeClient[] {
    return this.#instances.length > 0 ? this.#instances : [this.client];
  }

  /** Another client of an instance, over connections of its own. */
  connect(target: KubeTarget): KubeClient {
    return new KubeClient(target, { timeoutMs: INSTANCE_TIMEOUT_MS });
  }

  /** Finds the instances by the EndpointSlices of the Service `kubernetes`. */
  async findInstances(): Promise<void> {
    const { body } = await this.client.ask('GET', SLICES);
    const addresses = (body.items ?? []).flatMap(addressesOf);
    const { hostname } = new URL(this.#target.server);
    const serverName = this.#target.serverName ?? (isIP(hostname.replace(/[[\]]/g, '')) > 0 ? EVERY_INSTANCE : hostname);
    const found = await Promise.all(
      addresses.map(async (address) => {
        const instance = this.connect({ ...this.#target, server: `https://${address}`, serverName });
        const answer = await instance.ask('GET', '/version').catch(() => undefined);
        if (answer?.status === 200) return instance;
        instance.close();
        return address;
      }),
    );
    this.unreachable = found.filter((each) => typeof each === 'string');
    this.#instances = found.filter((each) => typeof each !== 'string');
  }

  /** Undefined if the cluster has no such APIService. */
  async route(): Promise<LeaseRoute | undefined> {
    const answer = await this.client.ask('GET', API_SERVICE);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refusal('cannot read the APIService v1.coordination.k8s.io', answer);
    return routeOf(answer.body as ApiService);
  }

  /** Routes leases to a service; refused if the APIService has changed since it was read. */
  async routeTo(service: ServiceReference, caBundle: string, { resourceVersion }: LeaseRoute): Promise<void> {
    await this.#patch({
      metadata: { resourceVersion, labels: { [AUTOMANAGED]: null }, annotations: { [PHASE]: 'switched' } },
      spec: { service, caBundle: Buffer.from(caBundle).toString('base64'), insecureSkipTLSVerify: null },
    });
  }

  /** Routes leases to kube-apiserver itself; refused if the APIService has changed since it was read. */
  async routeBack({ resourceVersion }: LeaseRoute): Promise<void> {
    await this.#patch({
      metadata: { resourceVersion, labels: { [AUTOMANAGED]: 'onstart' }, annotations: { [PHASE]: null } },
      spec: { service: null, caBundle: null, insecureSkipTLSVerify: null },
    });
  }

  async markComplete(): Promise<void> {
    await this.#patch({ metadata: { annotations: { [PHASE]: 'complete' } } });
  }

  /** Resolves with true once every instance has its leases served by `wanted`; false if one has not before the deadline. */
  isServedBy(wanted: ServedBy, deadlineMs: number): Promise<boolean> {
    return everyInstance(this.instances, deadlineMs, async (instance) => (await servedBy(instance)) === wanted);
  }

  close(): void {
    this.client.close();
    for (const instance of this.#instances) instance.close();
  }

  async #patch(change: object): Promise<void> {
    const answer = await this.client.ask('PATCH', API_SERVICE, change, MERGE);
    if (answer.status === 409) throw new CommandError('somebody else changed the APIService v1.coordination.k8s.io: run the command again');
    if (answer.status !== 200) throw refusal('cannot change the APIService v1.coordination.k8s.io', answer);
  }
}

/** The revision of a list says who answered it. */
export async function servedBy(instance: KubeClient): Promise<ServedBy> {
  const answer = await instance.ask('GET', `${LEASES}?limit=1`).catch(() => undefined);
  const revision = answer?.body.metadata?.resourceVersion;
  if (answer?.status !== 200 || revision === undefined) return 'nobody';
  return BigInt(revision) >= FIRST_SERVER_REVISION ? 'server' : 'cluster';
}

interface ApiService extends KubeObject {
  readonly spec?: { readonly service?: Partial<ServiceReference>; readonly caBundle?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[] };
}

function routeOf({ metadata = {}, spec, status }: ApiService): LeaseRoute {
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  return {
    ...destinationOf(spec ?? {}),
    phase: metadata.annotations?.[PHASE] ?? '',
    automanaged: metadata.labels?.[AUTOMANAGED],
    resourceVersion: metadata.resourceVersion ?? '',
    available: available?.status === 'True',
    message: available?.message ?? '',
  };
}

function destinationOf({ service = {}, caBundle = '' }: NonNullable<ApiService['spec']>): Pick<LeaseRoute, 'service' | 'caBundle'> {
  const { namespace, name, port = 443 } = service;
  const known = namespace !== undefined && name !== undefined;
  return { ...(known ? { service: { namespace, name, port } } : {}), caBundle: Buffer.from(caBundle, 'base64').toString() };
}

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
  readonly ports?: readonly { readonly port?: number }[];
}

function addressesOf(slice: KubeObject): string[] {
  const { endpoints = [], ports = [] } = slice as EndpointSlice;
  const port = ports[0]?.port ?? 443;
  return endpoints.flatMap(({ addresses = [] }) => addresses.map((each) => (each.includes(':') ? `[${each}]:${port}` : `${each}:${port}`)));
}

const POLL_MS = 100;

/** Resolves with true once the condition has been seen at each instance of kube-apiserver; false if one does not meet it before the deadline. */
export async function everyInstance(
  instances: readonly KubeClient[],
  deadlineMs: number,
  condition: (instance: KubeClient) => Promise<boolean>,
): Promise<boolean> {
  const seen = await Promise.all(
    instances.map(async (instance) => {
      while (Date.now() < deadlineMs) {
        if (await condition(instance)) return true;
        await sleep(POLL_MS);
      }
      return false;
    }),
  );
  return !seen.includes(false);
}

/** What a takeover and a giveback work on. */
export interface Handover {
  readonly cluster: ClusterAccess;
  /** The server that takes the leases. */
  readonly server: KubeClient;
  /** Where kube-apiserver finds the server. */
  readonly service: ServiceReference;
  readonly caBundle: string;
  /** Ends the server's watches with 410 and continues its revisions above those of etcd and the clock. */
  readonly newRevisions: () => Promise<number>;
  /** How long writes of elections may be refused before a takeover gives up, in milliseconds. */
  readonly freezeMs: number;
  /** How long after the switch requests may take to be served by the new side before it is undone, in milliseconds. */
  readonly deadlineMs: number;
  /** Reports each step before it is taken. */
  readonly step: (text: string) => void;
}
