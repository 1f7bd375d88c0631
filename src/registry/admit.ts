import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import type { AdmissionRequest } from './admission/admission.js';
import type { ResourceScope } from './resource-scope.js';

/** Asks admission about a write of this object. */
export function admit(
  scope: ResourceScope,
  operation: AdmissionRequest['operation'],
  object: KubeObject,
  namespace: string,
  dryRun: boolean,
): void | Promise<void> {
  const { name, generateName } = object.metadata;
  return scope.admission.admit({ operation, resource: scope.resource, namespace, name: name || generateName || 'Unknown', dryRun });
}
