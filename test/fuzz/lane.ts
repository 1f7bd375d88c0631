import type { ApiClient } from './api-client.js';
import { type Exchange, type FuzzRequest, inNamespace } from './fuzz-request.js';
import { Http1Connection } from './http1-connection.js';
import { Http2Connection } from './http2-connection.js';
import { violationsOf } from './invariants.js';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Objects of a namespace are deleted at this interval, so that growth does not come from data. */
const CLEAN_EVERY = 150;
const KINDS = ['/apis/coordination.k8s.io/v1/NS/leases', '/apis/coordination.k8s.io/v1beta1/NS/leasecandidates'] as const;

const SPECS: Readonly<Record<string, object>> = {
  [KINDS[0]]: { holderIdentity: 'h', leaseDurationSeconds: 15 },
  [KINDS[1]]: { leaseName: 'one', strategy: 'OldestEmulationVersion', binaryVersion: '1.36.0', emulationVersion: '1.36.0' },
};
/** Names used by the recordings and the generators, so that requests find existing objects. */
const NAMES = ['one', 'two', 'three', 'a', 'b', 'p1', 'p', 'r'];

export interface Sent {
  readonly request: FuzzRequest;
  readonly answer: Exchange;
  readonly violations: readonly string[];
}

/** Sends requests one after the other to a namespace of its own, so that any change there was made by them. */
export class Lane {
  readonly #client: ApiClient;
  readonly #http1: Http1Connection;
  readonly #http2: Http2Connection;
  #namespace: string | undefined;
  #generation = 0;
  #sent = 0;

  constructor(
    readonly id: number,
    url: string,
    client: ApiClient,
  ) {
    const port = Number(new URL(url).port);
    this.#client = client;
    this.#http1 = new Http1Connection(port);
    this.#http2 = new Http2Connection(port);
  }

  /** Sends a request; if `probe` is set, checks whether a refused or dry-run request has changed anything. */
  async send(made: FuzzRequest, probe: boolean): Promise<Sent> {
    if (this.#sent++ % CLEAN_EVERY === 0) await this.#renew();
    const namespace = await this.#liveNamespace(probe);
    const request = inNamespace(made, namespace);
    const looked = probe && WRITES.has(request.method);
    const before = looked ? await this.#state(namespace) : '';
    const answer = await (request.protocol === 'h2' ? this.#http2 : this.#http1).exchange(request);
    const violations = violationsOf(request, answer);
    if (looked && mayChangeNothing(request, answer)) {
      const after = await this.#state(namespace);
      if (after !== before) violations.push(`state changed by a request that was refused or dry:\n  before ${before}\n  after  ${after}`);
    }
    return { request, answer, violations };
  }

  close(): void {
    this.#http1.close();
    this.#http2.close();
  }

  /** Five characters, like the placeholder, so that lengths within bodies remain correct. */
  async #liveNamespace(check: boolean): Promise<string> {
    if (this.#namespace !== undefined && !check && this.#sent % 50 !== 0) return this.#namespace;
    if (this.#namespace !== undefined) {
      const { status, text } = await this.#client.ask('GET', `/api/v1/namespaces/${this.#namespace}`);
      if (status === 200 && !text.includes('"deletionTimestamp"')) return this.#namespace;
    }
    this.#namespace = `${String.fromCharCode(97 + this.id)}${(this.#generation++).toString(36).padStart(4, '0')}`;
    const { status, text } = await this.#client.ask('POST', '/api/v1/namespaces', { metadata: { name: this.#namespace } });
    if (status !== 201 && status !== 409) throw new Error(`namespace ${this.#namespace}: ${text}`);
    return this.#namespace;
  }

  async #renew(): Promise<void> {
    const namespace = await this.#liveNamespace(true);
    const patch = { metadata: { finalizers: null } };
    for (const { path, metadata } of await this.#objects(namespace)) {
      const where = `${path}/${encodeURIComponent(metadata.name)}`;
      if (metadata.finalizers) await this.#client.ask('PUT', where, { metadata: { ...metadata, ...patch.metadata } });
    }
    for (const kind of KINDS) {
      const path = kind.replace('NS', `namespaces/${namespace}`);
      await this.#client.ask('DELETE', path);
      for (const name of NAMES) await this.#client.ask('POST', path, { metadata: { name, labels: { a: 'b' } }, spec: SPECS[kind] });
    }
  }

  /** Objects and their versions, except objects being removed by controllers. */
  async #state(namespace: string): Promise<string> {
    const objects = await this.#objects(namespace);
    return JSON.stringify(objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
  }

  async #objects(namespace: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    for (const kind of KINDS) {
      const path = kind.replace('NS', `namespaces/${namespace}`);
      const { status, text } = await this.#client.ask('GET', path);
      if (status === 200) found.push(...(JSON.parse(text) as { items: StoredObject[] }).items.map((item) => ({ ...item, path })));
    }
    return found;
  }
}

interface StoredObject {
  readonly path: string;
  readonly metadata: { readonly name: string; readonly finalizers?: readonly string[]; readonly deletionTimestamp?: string };
}

function mayChangeNothing({ method, target, body }: FuzzRequest, answer: Exchange): boolean {
  if ('failure' in answer) return false;
  const collection = method === 'DELETE' && /(leases|leasecandidates)\/?(\?|$)/.test(target);
  // A collection is deleted object by object until one is refused.
  if (answer.status >= 400 && answer.status < 500) return !collection;
  // Options in the body override those in the query.
  return answer.status < 300 && /^[^?]*\?(?:[^;]*&)?dryRun=All(&|$)/.test(target) && !(method === 'DELETE' && body !== undefined);
}
