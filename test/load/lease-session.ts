import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';

export interface LeaseAnswer {
  readonly status: number;
  readonly text: string;
}

/** One HTTP/2 connection of one user. */
export class LeaseSession {
  readonly session: ClientHttp2Session;
  readonly #authorization: string;
  readonly [Symbol.dispose] = () => this.close();

  constructor(url: string, token: string) {
    this.#authorization = `Bearer ${token}`;
    this.session = http2.connect(url, { rejectUnauthorized: false });
    this.session.on('error', () => undefined);
  }

  /** Status 0 means that the connection failed. */
  send(method: string, path: string, body?: string): Promise<LeaseAnswer> {
    return new Promise((resolve) => {
      if (this.session.closed || this.session.destroyed) return resolve({ status: 0, text: 'the connection is closed' });
      const stream = this.open(method, path);
      let [status, text] = [0, ''];
      stream.on('response', (headers) => (status = headers[':status'] ?? 0));
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('error', (error: Error) => (text = error.message));
      stream.on('close', () => resolve({ status, text }));
      stream.end(body);
    });
  }

  open(method: string, path: string): ClientHttp2Stream {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.session.request({ ':method': method, ':path': path, authorization: this.#authorization, 'content-type': type });
  }

  close(): void {
    this.session.destroy();
  }
}

export function leasesPath(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

export function leaseText(name: string, resourceVersion?: string): string {
  return JSON.stringify({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, resourceVersion },
    spec: { holderIdentity: `${name}-holder`, leaseDurationSeconds: 10, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
}

/** Creates a namespace with leases `lease-0` to `lease-(count-1)`; returns their resourceVersions. */
export async function makeLeases(client: LeaseSession, namespace: string, count: number): Promise<string[]> {
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  const versions: string[] = [];
  for (let start = 0; start < count; start += 50) {
    const names = Array.from({ length: Math.min(50, count - start) }, (_, i) => `lease-${start + i}`);
    const answers = await Promise.all(names.map((name) => client.send('POST', leasesPath(namespace), leaseText(name))));
    for (const { status, text } of answers) {
      if (status !== 201) throw new Error(`cannot create a lease: ${status} ${text}`);
      versions.push(versionOf(text));
    }
  }
  return versions;
}

export function versionOf(text: string): string {
  return /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '';
}
