import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from './clock.js';
import type { HttpsConnection } from './https-transport.js';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_LIFE = 60_000;

export interface InClusterOptions {
  /** The folder of the service account's `token`, `ca.crt` and `namespace`. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

export interface InClusterConnection extends HttpsConnection {
  /** The pod's own namespace. */
  readonly namespace: string;
}

/** The API server as a pod sees it. The token is rotated, and therefore read again every minute. */
export function inClusterConnection(options: InClusterOptions = {}): InClusterConnection {
  const { directory = SERVICE_ACCOUNT, environment = process.env, clock = systemClock } = options;
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (!host) throw new Error('KUBERNETES_SERVICE_HOST is not set: this process does not run in a pod');
  let token: { value: string; readAt: number } | undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: readFileSync(path.join(directory, 'ca.crt'), 'utf8'),
    namespace: readFileSync(path.join(directory, 'namespace'), 'utf8').trim(),
    async token() {
      const now = clock.monotonic();
      if (!token || now - token.readAt >= TOKEN_LIFE) {
        token = { value: (await readFile(path.join(directory, 'token'), 'utf8')).trim(), readAt: now };
      }
      return token.value;
    },
  };
}
