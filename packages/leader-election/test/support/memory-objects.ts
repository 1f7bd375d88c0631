import { type ObjectClient, KubernetesError } from '../../../kube-client/src/coordination-client.js';
import type { KubernetesObject } from '../../../kube-client/src/kubernetes-objects.js';

/** The objects of one kind in one API server, for any number of clients. */
export class MemoryObjects<Spec> {
  readonly writes: KubernetesObject<Spec>[] = [];
  readonly #objects = new Map<string, KubernetesObject<Spec>>();
  #revision = 100;

  get(name: string): KubernetesObject<Spec> | undefined {
    return structuredClone(this.#objects.get(name));
  }

  delete(name: string): void {
    this.#objects.delete(name);
  }

  put(object: KubernetesObject<Spec>): KubernetesObject<Spec> {
    const stored = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#revision) } });
    this.#objects.set(object.metadata.name ?? '', stored);
    this.writes.push(stored);
    return structuredClone(stored);
  }

  /** Changes a spec, as another client would. */
  patch(name: string, change: Partial<Spec>): void {
    const object = this.get(name);
    if (!object) throw new Error(`no ${name}`);
    this.put({ ...object, spec: { ...object.spec, ...change } as Spec });
  }

  client(): MemoryClient<Spec> {
    return new MemoryClient(this);
  }

  create(object: KubernetesObject<Spec>): KubernetesObject<Spec> {
    if (this.#objects.has(object.metadata.name ?? '')) throw new KubernetesError(409, 'it exists', 'AlreadyExists');
    return this.put(object);
  }

  update(object: KubernetesObject<Spec>): KubernetesObject<Spec> {
    const current = this.#objects.get(object.metadata.name ?? '');
    if (!current) throw new KubernetesError(404, 'there is none', 'NotFound');
    if (current.metadata.resourceVersion !== object.metadata.resourceVersion) throw new KubernetesError(409, 'changed', 'Conflict');
    return this.put(object);
  }
}

/** One client's connection to the objects, which a test can break. */
export class MemoryClient<Spec> implements ObjectClient<KubernetesObject<Spec>> {
  readonly requests: string[] = [];
  /** `down`: requests fail at once. `silent`: requests get no response. `unanswered`: requests take effect, but get no response. */
  network: 'up' | 'down' | 'silent' | 'unanswered' = 'up';
  readonly #objects: MemoryObjects<Spec>;

  constructor(objects: MemoryObjects<Spec>) {
    this.#objects = objects;
  }

  get(_namespace: string, name: string): Promise<KubernetesObject<Spec> | undefined> {
    return this.#request('get', () => this.#objects.get(name));
  }

  create(object: KubernetesObject<Spec>): Promise<KubernetesObject<Spec>> {
    return this.#request('create', () => this.#objects.create(object));
  }

  update(object: KubernetesObject<Spec>): Promise<KubernetesObject<Spec>> {
    return this.#request('update', () => this.#objects.update(object));
  }

  async #request<T>(verb: string, carryOut: () => T): Promise<T> {
    this.requests.push(verb);
    await Promise.resolve();
    if (this.network === 'down') throw new Error('connection refused');
    if (this.network === 'silent') return new Promise(() => undefined);
    const answer = carryOut();
    return this.network === 'unanswered' ? new Promise(() => undefined) : answer;
  }
}
