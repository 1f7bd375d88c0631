import { cborToPlain } from '../../apimachinery/codec/cbor/cbor-to-plain.js';
import { isDecodeError } from '../../apimachinery/codec/decode-error.js';
import { yamlToJson } from '../../apimachinery/codec/yaml/yaml-to-json.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { DeleteOptionsBody } from '../../apimachinery/meta/options/delete-options-body.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';

/** Shows audit the object of a body, before anything is filled in. */
export function auditObject(scope: RequestScope, request: ApiRequest, object: KubeObject): void {
  const { serializers } = scope.services;
  request.audit?.requestObject(object.metadata ?? {}, () => String(serializers.preferred.encodeObject(scope.version.schema, object)));
}

/** Shows audit a patch. Upstream loses the event of a configuration in YAML or CBOR; here it is shown as JSON. */
export function auditPatch(request: ApiRequest, mediaType: string, body: Buffer): void {
  if (request.audit?.keepsRequest) request.audit.requestBody(() => jsonOf(mediaType, body));
}

/** Shows audit the options of a deletion, as upstream does in its internal version. */
export function auditDeleteOptions(request: ApiRequest, options: DeleteOptionsBody): void {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = options;
  request.audit?.requestBody(() => JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...rest }));
}

/** Undefined for what is nothing of the kind: it is going to be refused. */
function jsonOf(mediaType: string, body: Buffer): string | undefined {
  try {
    if (mediaType.endsWith('+cbor')) return JSON.stringify(cborToPlain(body));
    return JSON.stringify(JSON.parse(mediaType.endsWith('+yaml') ? yamlToJson(body).json : body.toString()));
  } catch (error) {
    if (error instanceof SyntaxError || isDecodeError(error)) return undefined;
    throw error;
  }
}
