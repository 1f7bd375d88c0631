import { statusSchema } from '../../apimachinery/meta/status.schema.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { ApiOperation } from './api-operation.js';

const READ = {
  uid: '6f2c1a0e-7d54-4c1b-9f0e-2d8b6a3c5e10',
  resourceVersion: '1765432100000123',
  creationTimestamp: '2026-01-01T12:00:00Z',
};

/** The example response of an operation to its example request; undefined if it returns no object. */
export function responseExample({ action, kind, example, path, responseSchema }: ApiOperation): unknown {
  if (!kind || !example || !responseSchema) return undefined;
  const namespace = path.includes('/namespaces/{namespace}/') ? { namespace: 'default' } : {};
  const object = { ...example, metadata: { ...example.metadata, ...namespace, ...READ } };
  const { name } = example.metadata;
  if (responseSchema === statusSchema) {
    const details = { name, group: kind.group, uid: READ.uid };
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(action === 'delete' ? { details } : {}) };
  }
  if (action === 'watch' || action === 'watchlist') return { type: 'ADDED', object };
  if (action !== 'list') return object;
  const { kind: _kind, apiVersion: _version, ...item } = object as typeof object & { kind?: string; apiVersion?: string };
  return {
    kind: `${kind.kind}List`,
    apiVersion: groupVersion(kind.group, kind.version),
    metadata: { resourceVersion: READ.resourceVersion },
    items: [item],
  };
}
