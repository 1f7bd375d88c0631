import type { Encoded, EncodedList, ItemRun, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { type ListMeta, partialObjectMetadataListSchema, partialObjectMetadataSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { tableRowSchema, tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { ListPage } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';
import { timeSlicer } from '../../storage/time-slicer.js';
import { type OutputChoice, type Transform, wantsPretty } from '../negotiation/output-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse } from '../response/send-response.js';
import { type ShownState, inRuns } from '../scope/object-encoding.js';
import type { RequestScope } from '../scope/request-scope.js';
import { includeObject, partialObjectMetadata, requireObjectForm, tableHead, tableOf, tableRow, wrongForm } from './table.js';

/** Sends one object in the negotiated form (apiserver handlers/response.go transformResponseObject). */
export function writeObject(scope: RequestScope, request: ApiRequest, choice: OutputChoice, status: number, shown: ShownState): void {
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const body = encodeObject(scope, request, choice, shown, pretty);
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer): Encoded => encodeObject(scope, request, { ...choice, serializer: other }, shown, false);
    auditResponse(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendResponse(request, status, serializer.mediaType, body);
}

function encodeObject(scope: RequestScope, request: ApiRequest, choice: OutputChoice, shown: ShownState, pretty: boolean): Encoded {
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

/** Encoding a list of this many objects takes milliseconds. */
const LONG_LIST = 250;

/** A page and the form of its response. */
interface ListResponse extends OutputChoice {
  readonly scope: RequestScope;
  readonly request: ApiRequest;
  readonly page: ListPage;
}

type Runs = Generator<ItemRun, undefined>;

/** Sends a list, assembled from runs of items. A long list is encoded in portions, so that other requests do not wait for it. */
export async function writeList(scope: RequestScope, request: ApiRequest, choice: OutputChoice, page: ListPage): Promise<void> {
  if (choice.transform?.kind === 'PartialObjectMetadata') throw wrongForm(scope, choice.transform.kind, true);
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const list: ListResponse = { ...choice, pretty, scope, request, page };
  const isShort = page.objects.length < LONG_LIST;
  const runs = isShort ? [...itemRuns(list)] : await timeSlicer.gather(itemRuns(list), () => request.aborted === undefined);
  if (request.aborted) return;
  const body = encodeList(list, runs);
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer) => {
      const asOther = { ...list, serializer: other, pretty: false };
      return encodeList(asOther, [...itemRuns(asOther)]);
    };
    auditResponse(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendResponse(request, 200, serializer.mediaType, body);
}

function encodeList({ scope, serializer, transform, pretty, page }: ListResponse, runs: readonly ItemRun[]): Encoded | EncodedList {
  if (!transform) {
    const head = { kind: scope.listKind, apiVersion: scope.apiVersion, metadata: listMeta(page) };
    return serializer.encodeList(head, runs, { pretty });
  }
  const metadata = transformedMeta(page);
  if (transform.kind === 'Table') {
    return serializer.encodeTable(tableHead(scope.definition, metadata, { version: transform.version, headers: true }), runs, { pretty });
  }
  const head = { kind: transform.kind, apiVersion: `meta.k8s.io/${transform.version}`, metadata };
  // Unlike in every other list, Go's empty slice is null here.
  if (runs.length === 0) return serializer.encodeObject(partialObjectMetadataListSchema, head, { pretty });
  return serializer.encodeList(head, runs, { pretty });
}

function itemRuns(list: ListResponse): Runs {
  const { scope, serializer, transform, pretty, page } = list;
  if (!transform) return scope.encoding.items(page.objects, serializer, { pretty });
  const encodeItem = transform.kind === 'Table' ? rowEncoder(list, transform) : metadataEncoder(list, transform);
  return inRuns(page.objects, (states) => serializer.joinItems(states.map(encodeItem), { pretty }));
}

function metadataEncoder({ scope, serializer }: ListResponse, { version }: Transform): (stored: StoredObject) => Encoded {
  return (stored) =>
    serializer.encodeItem(partialObjectMetadataSchema, partialObjectMetadata(scope.encoding.hub(stored).metadata, version));
}

function rowEncoder({ scope, request, serializer }: ListResponse, { version }: Transform): (stored: StoredObject) => Encoded {
  const options = { version, include: includeObject(request.query), headers: true, now: scope.services.now() };
  return (stored) => {
    const entry = { hub: scope.encoding.hub(stored), object: () => scope.encoding.versioned(stored) };
    return serializer.encodeItem(tableRowSchema, tableRow(scope.definition, entry, options));
  };
}

/** Neither form carries shardInfo upstream. */
function transformedMeta(page: ListPage): ListMeta {
  return { ...listMeta(page), shardInfo: undefined };
}

function listMeta(page: ListPage): ListMeta {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continue ? { continue: page.continue } : {}),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
    ...(page.shardSelector === undefined ? {} : { shardInfo: { selector: page.shardSelector } }),
  };
}

/** A response body and how to encode it again as JSON. */
interface AuditedResponse {
  readonly body: Encoded | EncodedList;
  readonly serializer: Serializer;
  readonly pretty: boolean;
  /** Encodes the same body in another media type. */
  readonly encodeAs: (serializer: Serializer) => Encoded | EncodedList;
}

/** Passes the object of a response to the audit record. */
function auditResponse(scope: RequestScope, request: ApiRequest, { body, serializer, pretty, encodeAs }: AuditedResponse): void {
  const json = scope.services.serializers.preferred;
  request.audit?.responseObject(() => String(serializer === json && !pretty ? body : encodeAs(json)));
}
