import { validateDnsLabel, validateDnsSubdomain } from '../../apimachinery/validation/dns-names.js';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';

/** Namespace and name of a user that is a service account (apiserver authentication/serviceaccount SplitUsername). */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || validateDnsLabel(namespace).length > 0 || validateDnsSubdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The name of a user that is a node. */
export function nodeNameOf(user: string): string | undefined {
  if (!user.startsWith(NODE)) return undefined;
  const name = user.slice(NODE.length);
  return validateDnsSubdomain(name).length > 0 ? undefined : name;
}

/** The groups of all service accounts of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
