import { isObject } from '../apimachinery/schema/is-object.js';
import type { Fields } from './kubeconfig.js';

/** The credentials that a plugin issues. */
export interface PluginCredentials {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  /** When they expire, in milliseconds since 1970; Infinity if they do not say. */
  readonly until: number;
}

/** How a kubeconfig's `exec` is run (client.authentication.k8s.io). */
export function pluginCommand({ command, args, env, apiVersion }: Fields): {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
} {
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  const variables = (Array.isArray(env) ? env : []).filter(isObject);
  const own = Object.fromEntries(variables.map(({ name, value }) => [String(name), String(value)]));
  return {
    command: String(command),
    args: (Array.isArray(args) ? args : []).map(String),
    environment: { ...process.env, ...own, KUBERNETES_EXEC_INFO: info },
  };
}

/** Parses what a plugin printed, an ExecCredential. */
export function credentialsIn(printed: string): PluginCredentials {
  const { status = {} } = JSON.parse(printed) as { status?: Readonly<Record<string, string | undefined>> };
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  return { token, cert, key, until: expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp) };
}
