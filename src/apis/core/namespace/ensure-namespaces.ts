import { ApiError } from '../../../apimachinery/errors/api-error.js';
import type { ResourceStore } from '../../../registry/resource/resource-store.js';
import { API_SERVER, systemContext } from '../../../registry/resource/request-context.js';
import type { Namespace } from './namespace.schema.js';
import { namespaceV1 } from './namespace.resource.js';

/** The namespaces that every cluster has. */
export const SYSTEM_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates a namespace unless it exists. */
export async function ensureNamespace(
  namespaces: ResourceStore<Namespace>,
  name: string,
  annotations?: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await namespaces.create(
      systemContext(API_SERVER),
      { version: namespaceV1, namespace: '', name: '' },
      { metadata: { name, ...(annotations === undefined ? {} : { annotations }) } },
      { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' },
    );
  } catch (error) {
    if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error;
  }
}

/** Creates the missing system namespaces; every server process does so at start. */
export async function ensureNamespaces(namespaces: ResourceStore<Namespace>): Promise<void> {
  await Promise.all(
    SYSTEM_NAMESPACES.map(async (name) => {
      if (!(await isKnown(namespaces, name))) await ensureNamespace(namespaces, name);
    }),
  );
}

/** Asks nobody but the cache, so that a start does not wait for a write that is refused. */
async function isKnown(namespaces: ResourceStore<Namespace>, name: string): Promise<boolean> {
  try {
    await namespaces.get({ version: namespaceV1, namespace: '', name }, { resourceVersion: '0' });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error;
    return false;
  }
}
