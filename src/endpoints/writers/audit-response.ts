import type { Encoded, EncodedList, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

/** A response body and how to encode it again as JSON. */
export interface AuditedResponse {
  readonly body: Encoded | EncodedList;
  readonly serializer: Serializer;
  readonly pretty: boolean;
  /** Encodes the same body in another media type. */
  readonly encodeAs: (serializer: Serializer) => Encoded | EncodedList;
}

/** Passes the object of a response to the audit record. */
export function auditResponse(scope: RequestScope, request: ApiRequest, { body, serializer, pretty, encodeAs }: AuditedResponse): void {
  const json = scope.services.serializers.preferred;
  request.audit?.responseObject(() => String(serializer === json && !pretty ? body : encodeAs(json)));
}
