import type { UserInfo } from '../../registry/resource/request-context.js';
import { nodeNameOf, serviceAccountOf } from '../authentication/special-users.js';

/** One of the ways in which impersonation can be authorized. */
export interface ImpersonationMode {
  /** The suffix of its verbs; '' for legacy `impersonate`. */
  readonly name: string;
  /** Whether the mode applies to this user. */
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** In the order in which they are tried (apiserver endpoints/filters/impersonation/mode.go). */
export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  { name: 'associated-node', applies: (wanted, requestor) => hasOnlyName(wanted) && runsOnNode(requestor, nodeNameOf(wanted.name)) },
  { name: 'arbitrary-node', applies: (wanted) => hasOnlyName(wanted) && nodeNameOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => hasOnlyName(wanted) && serviceAccountOf(wanted.name) !== undefined },
  { name: 'user-info', applies: ({ name }) => nodeNameOf(name) === undefined && serviceAccountOf(name) === undefined },
  { name: '', applies: () => true },
];

function hasOnlyName({ uid, groups, extra }: UserInfo): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

/** Whether a service account's token says that its pod runs on the node. */
function runsOnNode(requestor: UserInfo, node: string | undefined): boolean {
  if (node === undefined || !serviceAccountOf(requestor.name)) return false;
  const values = requestor.extra[NODE_NAME] ?? [];
  return values.length === 1 && values[0] === node;
}
