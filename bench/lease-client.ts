import type { ClientHttp2Session } from 'node:http2';
import http2 from 'node:http2';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A few HTTP/2 connections to one server, shared by any number of clients, as controllers in one process share theirs. */
export class LeaseClient {
  readonly #sessions: ClientHttp2Session[];
  readonly #authorization: string;
  readonly #path: string;
  #next = 0;

  constructor(target: string, token: string, namespace: string, connections: number) {
    this.#sessions = Array.from({ length: connections }, () => http2.connect(target, { rejectUnauthorized: false }));
    this.#authorization = `Bearer ${token}`;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  }

  /** `path` is relative to the namespace's leases, or absolute. */
  send(method: string, path: string, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.#open(method, path);
      let status = 0;
      const chunks: Buffer[] = [];
      stream.on('response', (headers) => (status = Number(headers[':status'])));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve({ status, body: Buffer.concat(chunks).toString('utf8') }));
      stream.on('error', reject);
      stream.end(body);
    });
  }

  /** A stream of lines; calls back with each until it is closed. */
  follow(path: string, line: (text: string) => void): { close(): void } {
    const stream = this.#open('GET', path);
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(line);
    });
    stream.end();
    return { close: () => stream.close() };
  }

  #open(method: string, path: string) {
    const session = this.#sessions[this.#next++ % this.#sessions.length];
    if (session === undefined) throw new Error('a client needs at least one connection');
    return session.request({
      ':method': method,
      ':path': path.startsWith('/api') ? path : this.#path + path,
      authorization: this.#authorization,
      'content-type': 'application/json',
      accept: 'application/json',
    });
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }
}

/** metadata.resourceVersion, the first one in an object's JSON. */
export function versionOf(body: string): string {
  return /"resourceVersion":"(\d+)"/.exec(body)?.[1] ?? '';
}

/** A renewal as clients send it: the whole lease with the version they saw last. */
export function leaseBody(name: string, resourceVersion: string): string {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  return JSON.stringify({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...(resourceVersion === '' ? {} : { resourceVersion }) },
    spec: { holderIdentity: `${name}_bench`, leaseDurationSeconds: 40, renewTime },
  });
}

/** Makes leases `bench-0` to `bench-(n-1)` where they are missing; answers their versions. */
export async function prepareLeases(client: LeaseClient, count: number): Promise<string[]> {
  const versions: string[] = [];
  for (let start = 0; start < count; start += 64) {
    const names = Array.from({ length: Math.min(64, count - start) }, (_, i) => `bench-${start + i}`);
    versions.push(...(await Promise.all(names.map((name) => prepareLease(client, name)))));
  }
  return versions;
}

async function prepareLease(client: LeaseClient, name: string): Promise<string> {
  const created = await client.send('POST', '', leaseBody(name, ''));
  const answer = created.status === 409 ? await client.send('GET', `/${name}`) : created;
  if (answer.status > 299) throw new Error(`cannot create ${name}: ${answer.status} ${answer.body.slice(0, 300)}`);
  return versionOf(answer.body);
}
