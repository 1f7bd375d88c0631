import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { ask } from '../../support/http-client.js';
import type { Sighting } from '../history.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const HEADERS = { authorization: 'Bearer admin-token', 'content-type': 'application/json', 'user-agent': 'torture/1' };

export interface LeaseObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly holderIdentity?: string };
}

export interface LeaseList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly LeaseObject[];
}

/** Status 0 means that there was no response; `text` then has the reason. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests for leases to one server, each with a time limit; connections are kept alive. */
export class ApiClient {
  readonly server: number;
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 20 });
  readonly #url: () => string;

  /** `url` is called for each request, because a server may return at another port. */
  constructor(server: number, url: () => string) {
    this.server = server;
    this.#url = url;
  }

  get(name: string): Promise<ApiAnswer> {
    return this.send('GET', `${LEASES}/${name}`);
  }

  list(): Promise<ApiAnswer> {
    return this.send('GET', LEASES);
  }

  create(name: string, holderIdentity: string): Promise<ApiAnswer> {
    return this.send('POST', LEASES, leaseBody(name, holderIdentity));
  }

  update(name: string, resourceVersion: string, holderIdentity: string): Promise<ApiAnswer> {
    return this.send('PUT', `${LEASES}/${name}`, leaseBody(name, holderIdentity, resourceVersion));
  }

  delete(name: string, resourceVersion: string): Promise<ApiAnswer> {
    return this.send('DELETE', `${LEASES}/${name}`, JSON.stringify({ preconditions: { resourceVersion } }));
  }

  /** Watches from a version; resolves with the response once it begins. */
  watch(resourceVersion: string, signal: AbortSignal): Promise<IncomingMessage> {
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=60&resourceVersion=${resourceVersion}`;
    return new Promise((resolve, reject) => {
      const request = https.request(`${this.#url()}${LEASES}?${query}`, {
        headers: HEADERS,
        rejectUnauthorized: false,
        agent: false,
        signal,
      });
      request.on('response', resolve).on('error', reject).end();
    });
  }

  send(method: string, path: string, body?: string, timeoutMs = 5_000): Promise<ApiAnswer> {
    return ask(`${this.#url()}${path}`, { method, body, headers: HEADERS, agent: this.#agent, timeoutMs }).catch((error: Error) => ({
      status: 0,
      text: error.message,
    }));
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The observed state of an object; in objects of writers, holderIdentity is `ID<PREV`. */
export function sightingOf({ metadata, spec }: LeaseObject): Sighting {
  const [id = '', prev] = (spec?.holderIdentity ?? '').split('<');
  return { id, prev, revision: Number(metadata.resourceVersion) };
}

/** The states of a list, by name. */
export function sightingsOf(list: LeaseList): Map<string, Sighting> {
  return new Map(list.items.map((item) => [item.metadata.name, sightingOf(item)]));
}

function leaseBody(name: string, holderIdentity: string, resourceVersion?: string): string {
  return JSON.stringify({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, resourceVersion },
    spec: { holderIdentity, leaseDurationSeconds: 10, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
}
