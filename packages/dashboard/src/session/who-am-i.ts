import type { ApiClient } from '../api/api-client.js';
import { ApiFailure } from '../api/api-failure.js';

export interface Who {
  readonly name: string;
  readonly groups: readonly string[];
}

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

/** As whom the server takes us. Rejects with ApiFailure; 401: it knows neither the token nor anybody without one. */
export async function whoAmI(client: ApiClient, signal?: AbortSignal): Promise<Who> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status } = await client.json<SelfSubjectReview>(path, { method: 'POST', body, signal });
  const name = status?.userInfo?.username;
  if (name === undefined) throw new ApiFailure(0, 'The server does not say who you are: is it a Kubernetes API server?');
  return { name, groups: status?.userInfo?.groups ?? [] };
}

export const ANONYMOUS = 'system:anonymous';

/** The namespace that a service account lives in, which is where its rights most likely are. */
export function namespaceOf({ name }: Who): string | undefined {
  return /^system:serviceaccount:([^:]+):/.exec(name)?.[1];
}
