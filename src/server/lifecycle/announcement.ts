import { isIPv6 } from 'node:net';
import { isEverywhere } from './bind-address.js';
import { PROGRAM_VERSION } from '../../settings/program-version.js';

/** The URL for a client on this machine. */
export function localUrl(bindAddress: string, port: number): string {
  const host = isEverywhere(bindAddress) ? '127.0.0.1' : bindAddress;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

export interface Announced {
  readonly url: string;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** A readable name of the database and schema. */
  readonly database: string;
  readonly bindAddress: string;
  readonly authorizationMode: readonly string[];
  readonly swaggerUi: boolean;
  readonly ui: boolean;
}

/** The message that a server prints once it serves. */
export function announcement({ url, kubeconfig, database, bindAddress, authorizationMode, swaggerUi, ui }: Announced): string {
  const file = /^[\w./@%+=:,-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", `'\\''`)}'`;
  return [
    `coordination-apiserver ${PROGRAM_VERSION} is serving at ${url}`,
    '',
    `  listening:  ${isEverywhere(bindAddress) ? `at every address of this machine (${bindAddress})` : `at ${bindAddress} only (--bind-address)`}`,
    `  access:     ${access(authorizationMode)}`,
    `  database:   ${database}`,
    `  kubeconfig: ${kubeconfig}`,
    ...(ui ? [`  dashboard:  ${url}/ui/ (with a certificate warning; \`coordination-apiserver ui\` opens it without one)`] : []),
    ...(swaggerUi ? [`  API pages:  ${url}/swagger`] : []),
    '',
    'Try in another shell:',
    '',
    `  export KUBECONFIG=${file}`,
    '  kubectl get leases -A -w',
    '',
    '',
  ].join('\n');
}

function access(modes: readonly string[]): string {
  const [first] = modes;
  if (first !== 'AlwaysAllow') return `by ${modes.join(', ')}`;
  return 'every valid token or certificate may do everything (--authorization-mode=Node,RBAC restricts them)';
}
