import { ownCopy } from '../../registry/objects/stored-codec.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { DeleteOptionsBody } from '../../apimachinery/meta/delete-options.schema.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

/** Passes the decoded object of a body to the audit record, with its defaults. */
export function auditObject(scope: RequestScope, request: ApiRequest, object: KubeObject): void {
  const { version, services } = scope;
  request.audit?.requestObject(object.metadata, () => {
    const whole = ownCopy(object);
    version.setDefaults?.(whole);
    // An empty list matters to writes only.
    if (whole.metadata.managedFields?.length === 0) delete whole.metadata.managedFields;
    return String(services.serializers.preferred.encodeObject(version.schema, whole));
  });
}

/** Passes a patch to the audit record, as JSON whatever its encoding is. */
export function auditPatch(request: ApiRequest, patch: () => unknown): void {
  request.audit?.requestBody(() => JSON.stringify(patch()));
}

/** Passes the options of a deletion to the audit record, in upstream's internal version. */
export function auditDeleteOptions(request: ApiRequest, options: DeleteOptionsBody): void {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = options;
  request.audit?.requestBody(() => JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...rest }));
}
