import { partialObjectMetadataSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/wants-pretty.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { sendResponse } from '../response/send-response.js';
import { auditResponse } from './audit-response.js';
import type { ShownState } from '../scope/object-encoding.js';
import { requireObjectForm } from './required-form.js';
import { includeObject, partialObjectMetadata, tableOf } from './table.js';

/** Sends one object in the negotiated form (apiserver handlers/response.go transformResponseObject). */
export function writeObject(scope: RequestScope, request: ApiRequest, choice: OutputChoice, status: number, shown: ShownState): void {
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const body = encode(scope, request, choice, shown, pretty);
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer): Encoded => encode(scope, request, { ...choice, serializer: other }, shown, false);
    auditResponse(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendResponse(request, status, serializer.mediaType, body);
}

function encode(scope: RequestScope, request: ApiRequest, choice: OutputChoice, shown: ShownState, pretty: boolean): Encoded {
  const { serializer, transform } = choice;
  if (!transform) return scope.encoding.object(shown, serializer, pretty ? { pretty } : undefined);
  requireObjectForm(scope, choice);
  // Tables contain objects as stored, in the order of their fields, so the given one cannot be used.
  const hub = scope.encoding.hub(shown.object);
  if (transform.kind === 'PartialObjectMetadata') {
    return serializer.encodeObject(partialObjectMetadataSchema, partialObjectMetadata(hub.metadata, transform.version), { pretty });
  }
  const include = includeObject(request.query);
  const { resourceVersion } = hub.metadata;
  const entry = { hub, object: () => scope.encoding.versioned(shown.object) };
  const options = { version: transform.version, include, headers: true, now: scope.services.now() };
  return serializer.encodeObject(tableSchema, tableOf(scope.definition, { resourceVersion }, [entry], options), { pretty });
}
