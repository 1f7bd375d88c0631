import type { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';

/** What is answered, and how: enough to answer it once more as JSON. */
export interface AuditedAnswer {
  readonly body: Encoded | EncodedList;
  readonly serializer: Serializer;
  readonly pretty: boolean;
  /** The same in another media type. */
  readonly encodeAs: (serializer: Serializer) => Encoded | EncodedList;
}

/** Shows audit the object of an answer, where it is kept. */
export function auditAnswer(scope: RequestScope, request: ApiRequest, { body, serializer, pretty, encodeAs }: AuditedAnswer): void {
  const json = scope.services.serializers.preferred;
  request.audit?.responseObject(() => String(serializer === json && !pretty ? body : encodeAs(json)));
}
