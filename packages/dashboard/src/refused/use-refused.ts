import type { ObjectList, RefusedRequest } from '../api/kubernetes-objects.js';
import { useServices } from '../shell/services.js';
import { type Asked, useAsked } from '../shell/use-asked.js';
import { HISTORY } from '../terms/read-terms.js';

const EVERY_MS = 5000;

/** What the server refused within the last hour, the latest first: for one name in a namespace, or in a namespace, or ('') in all. */
export function useRefused(namespace: string, name = ''): Asked<readonly RefusedRequest[]> {
  const { client } = useServices();
  return useAsked(
    `${namespace}/${name}`,
    async (signal) => {
      const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
      const query = name === '' ? '' : `?${new URLSearchParams({ fieldSelector: `spec.objectName=${name}` }).toString()}`;
      const { items = [] } = await client.json<ObjectList<RefusedRequest>>(`/apis/${HISTORY}${scope}/refusedrequests${query}`, { signal });
      return items;
    },
    EVERY_MS,
  );
}
