import { type ApiClient, ApiFailure } from '../api/api-client.js';

export interface Who {
  readonly name: string;
  readonly groups: readonly string[];
}

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

/** The user as whom the server authenticates this page. Rejects with ApiFailure; 401: neither the token nor anonymous access is valid. */
export async function whoAmI(client: ApiClient, signal?: AbortSignal): Promise<Who> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status } = await client.json<SelfSubjectReview>(path, { method: 'POST', body, signal });
  const name = status?.userInfo?.username;
  if (name === undefined) throw new ApiFailure(0, 'The server does not report your user name: is it a Kubernetes API server?');
  return { name, groups: status?.userInfo?.groups ?? [] };
}

export const ANONYMOUS = 'system:anonymous';

/** The namespace of a service account, which is where it most likely has rights. */
export function namespaceOf({ name }: Who): string | undefined {
  return /^system:serviceaccount:([^:]+):/.exec(name)?.[1];
}

export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Whether the user may perform an action (SelfSubjectAccessReview). */
export async function mayI(client: ApiClient, resourceAttributes: ResourceAttributes, signal?: AbortSignal): Promise<boolean> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { status } = await client.json<{ readonly status?: { readonly allowed?: boolean } }>(path, { method: 'POST', body, signal });
  return status?.allowed === true;
}
