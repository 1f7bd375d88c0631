import { cborToPlain } from '../../apimachinery/codec/cbor/cbor-to-plain.js';
import { isDecodeError } from '../../apimachinery/errors/decode-error.js';
import { yamlToJson } from '../../apimachinery/codec/yaml/yaml-to-json.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { DeleteOptionsBody } from '../../apimachinery/meta/delete-options.schema.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

/** Passes the decoded object of a body to the audit record, before defaults are set. */
export function auditObject(scope: RequestScope, request: ApiRequest, object: KubeObject): void {
  const { serializers } = scope.services;
  request.audit?.requestObject(object.metadata ?? {}, () => String(serializers.preferred.encodeObject(scope.version.schema, object)));
}

/** Passes a patch to the audit record. Upstream loses the event of a YAML or CBOR apply configuration; here it becomes JSON. */
export function auditPatch(request: ApiRequest, mediaType: string, body: Buffer): void {
  if (request.audit?.keepsRequest) request.audit.requestBody(() => jsonOf(mediaType, body));
}

/** Passes the options of a deletion to the audit record, in upstream's internal version. */
export function auditDeleteOptions(request: ApiRequest, options: DeleteOptionsBody): void {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = options;
  request.audit?.requestBody(() => JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...rest }));
}

/** Undefined for a body that cannot be decoded; its request is about to fail. */
function jsonOf(mediaType: string, body: Buffer): string | undefined {
  try {
    if (mediaType.endsWith('+cbor')) return JSON.stringify(cborToPlain(body));
    return JSON.stringify(JSON.parse(mediaType.endsWith('+yaml') ? yamlToJson(body).json : body.toString()));
  } catch (error) {
    if (error instanceof SyntaxError || isDecodeError(error)) return undefined;
    throw error;
  }
}
