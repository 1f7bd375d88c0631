import type { ApiClient } from '../api/api-client.js';

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
