import { isWildcard } from '../config/server-address.js';
import { PROGRAM_CALL } from '../../settings/program-call.js';
import { PROGRAM_VERSION } from '../../settings/program-version.js';

/** What the banner tells about a running server. */
export interface BannerFacts {
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

/** The text that a server prints to stdout once it is ready. */
export function startBanner({ url, kubeconfig, database, bindAddress, authorizationMode, swaggerUi, ui }: BannerFacts): string {
  const file = /^[\w./@%+=:,-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", `'\\''`)}'`;
  return [
    `coordination-apiserver ${PROGRAM_VERSION} is serving at ${url}`,
    '',
    `  listening:  ${isWildcard(bindAddress) ? `on all interfaces (${bindAddress})` : `only on ${bindAddress} (see --bind-address)`}`,
    `  access:     ${access(authorizationMode)}`,
    `  database:   ${database}`,
    `  kubeconfig: ${kubeconfig}`,
    ...(ui ? [`  dashboard:  ${url}/ui/ (with a certificate warning; \`${PROGRAM_CALL} ui\` serves it without one)`] : []),
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
  return 'any valid token or certificate has full access (--authorization-mode=Node,RBAC restricts it)';
}
