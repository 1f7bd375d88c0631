import { partialObjectMetadataSchema } from '../../apimachinery/meta/partial-object-metadata.schema.js';
import { tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';
import { sendAnswer } from './answer.js';
import { auditAnswer } from './audit-answer.js';
import { requireObjectForm } from './required-form.js';
import { includeObject, partialObjectMetadata, tableOf } from './table.js';

/** Answers with one object, in the form that was negotiated (apiserver handlers/response.go transformResponseObject). */
export function writeObject(scope: RequestScope, request: ApiRequest, choice: OutputChoice, status: number, stored: StoredObject): void {
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const body = encode(scope, request, choice, stored, pretty);
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer): Encoded => encode(scope, request, { ...choice, serializer: other }, stored, false);
    auditAnswer(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendAnswer(request, status, serializer.mediaType, body);
}

function encode(scope: RequestScope, request: ApiRequest, choice: OutputChoice, stored: StoredObject, pretty: boolean): Encoded {
  const { serializer, transform } = choice;
  if (!transform) return scope.encoding.object(stored, serializer, pretty ? { pretty } : undefined);
  requireObjectForm(scope, choice);
  const hub = scope.encoding.hub(stored);
  if (transform.kind === 'PartialObjectMetadata') {
    return serializer.encodeObject(partialObjectMetadataSchema, partialObjectMetadata(hub.metadata, transform.version), { pretty });
  }
  const include = includeObject(request.query);
  const { resourceVersion } = hub.metadata;
  const entry = { hub, object: () => scope.encoding.versioned(stored) };
  const options = { version: transform.version, include, headers: true, now: scope.services.now() };
  return serializer.encodeObject(tableSchema, tableOf(scope.definition, { resourceVersion }, [entry], options), { pretty });
}
