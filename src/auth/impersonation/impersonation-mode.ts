import type { UserInfo } from '../../registry/request-context.js';
import { nodeNameOf, serviceAccountOf } from './special-users.js';

/** One way to be allowed to act as somebody else. */
export interface ImpersonationMode {
  /** What the verbs are called after; '' for the way of old, `impersonate`. */
  readonly name: string;
  /** Whether it is about this user at all. */
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
