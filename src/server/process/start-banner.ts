import { isWildcard } from '../config/server-address.js';
import { PROGRAM_CALL, shellWord } from '../../settings/program-call.js';
import { PROGRAM_VERSION } from '../../settings/program-version.js';

/** What the banner tells about a running server. */
export interface BannerFacts {
  readonly url: string;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** Whether commands that are started at the same place find that kubeconfig by themselves. */
  readonly isFound: boolean;
  /** A readable name of the database and schema. */
  readonly database: string;
  readonly bindAddress: string;
  readonly authorizationMode: readonly string[];
  readonly swaggerUi: boolean;
  readonly ui: boolean;
  /** In a container: the command by which users outside of it get a kubeconfig. */
  readonly kubeconfigCommand?: string;
}

/** The text that a server prints to stdout once it is ready. */
export function startBanner(facts: BannerFacts): string {
  const { url, kubeconfig, isFound, database, bindAddress, authorizationMode, swaggerUi, ui, kubeconfigCommand } = facts;
  const isContained = kubeconfigCommand !== undefined;
  const withoutWarning = isContained
    ? ''
    : `; \`${PROGRAM_CALL} ui${isFound ? '' : ` --kubeconfig ${shellWord(kubeconfig)}`}\` serves it without one`;
  return [
    `coordination-apiserver ${PROGRAM_VERSION} is serving at ${url}`,
    '',
    `  listening:  ${isWildcard(bindAddress) ? `on all interfaces (${bindAddress})` : `only on ${bindAddress} (see --bind-address)`}`,
    `  access:     ${access(authorizationMode)}`,
    `  database:   ${database}`,
    `  kubeconfig: ${kubeconfig}${isContained ? ', in this container' : ''}`,
    ...(ui ? [`  dashboard:  ${url}/ui/ (with a certificate warning${withoutWarning})`] : []),
    ...(swaggerUi ? [`  API pages:  ${url}/swagger`] : []),
    '',
    isContained ? 'Try outside of this container:' : 'Try in another shell:',
    '',
    ...(isContained ? firstStepsOutside(kubeconfigCommand) : firstSteps(kubeconfig)).map((line) => `  ${line}`),
    '',
    '',
  ].join('\n');
}

function firstSteps(kubeconfig: string): string[] {
  return [`export KUBECONFIG=${shellWord(kubeconfig)}`, 'kubectl get leases -A -w'];
}

function firstStepsOutside(kubeconfigCommand: string): string[] {
  return [`${kubeconfigCommand} > admin.kubeconfig`, 'kubectl --kubeconfig admin.kubeconfig get leases -A -w'];
}

function access(modes: readonly string[]): string {
  const [first] = modes;
  if (first !== 'AlwaysAllow') return `as --authorization-mode=${modes.join(',')} allows`;
  return 'any valid token or certificate has full access (--authorization-mode=Node,RBAC restricts it)';
}
