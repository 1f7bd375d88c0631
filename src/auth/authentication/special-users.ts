import { validateDnsLabel, validateDnsSubdomain } from '../../apimachinery/validation/names.js';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
/** Prefix of the user names of nodes. */
export const NODE_USER = 'system:node:';

/** Namespace and name of a service account user (apiserver authentication/serviceaccount SplitUsername); undefined for other users. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || validateDnsLabel(namespace).length > 0 || validateDnsSubdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The node name of a node user; undefined for other users. */
export function nodeNameOf(user: string): string | undefined {
  if (!user.startsWith(NODE_USER)) return undefined;
  const name = user.slice(NODE_USER.length);
  return validateDnsSubdomain(name).length > 0 ? undefined : name;
}

/** The user name of a service account, `system:serviceaccount:NAMESPACE:NAME` (apiserver authentication/serviceaccount/util.go). */
export function serviceAccountUserName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

/** The groups of every service account in a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
