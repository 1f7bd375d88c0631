import type { ApiClient } from '../api/api-client.js';
import { ApiFailure } from '../api/api-failure.js';

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
