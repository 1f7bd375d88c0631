import type { ApiClient } from '../api/api-client.js';

interface ApiGroup {
  readonly versions?: readonly { readonly groupVersion: string; readonly version: string }[];
}

interface ApiResources {
  readonly resources?: readonly { readonly name: string }[];
}

const KNOWN = /^v1[a-z0-9]*$/;

/** The first version, in the server's order, that has LeaseCandidates; null if none has. */
export async function findCandidateVersion(client: ApiClient, signal: AbortSignal): Promise<string | null> {
  const group = await client.json<ApiGroup>('/apis/coordination.k8s.io', { signal });
  for (const { version } of group.versions ?? []) {
    if (!KNOWN.test(version)) continue;
    const { resources = [] } = await client.json<ApiResources>(`/apis/coordination.k8s.io/${version}`, { signal });
    if (resources.some(({ name }) => name === 'leasecandidates')) return version;
  }
  return null;
}
