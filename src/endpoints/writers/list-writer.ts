import type { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer.js';
import type { ListMeta } from '../../apimachinery/meta/kube-object.js';
import { partialObjectMetadataListSchema, partialObjectMetadataSchema } from '../../apimachinery/meta/partial-object-metadata.schema.js';
import { tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { ListPage } from '../../registry/resource-store.js';
import type { OutputChoice, Transform } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';
import { sendAnswer } from './answer.js';
import { auditAnswer } from './audit-answer.js';
import { wrongForm } from './required-form.js';
import { includeObject, partialObjectMetadata, tableOf } from './table.js';

/** Answers with a list, put together from pieces that are encoded once per state of an object. */
export function writeList(scope: RequestScope, request: ApiRequest, choice: OutputChoice, page: ListPage): void {
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const body = encode(scope, request, choice, page, pretty);
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer): Encoded | EncodedList => encode(scope, request, { ...choice, serializer: other }, page, false);
    auditAnswer(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendAnswer(request, 200, serializer.mediaType, body);
}

function encode(scope: RequestScope, request: ApiRequest, choice: OutputChoice, page: ListPage, pretty: boolean): Encoded | EncodedList {
  const { serializer, transform } = choice;
  if (transform) return encodeTransformed(scope, request, { ...choice, transform }, page, pretty);
  const head = { kind: scope.listKind, apiVersion: scope.apiVersion, metadata: listMeta(page) };
  return serializer.encodeList(head, scope.encoding.items(page.objects, serializer), { pretty });
}

function encodeTransformed(
  scope: RequestScope,
  request: ApiRequest,
  { serializer, transform }: OutputChoice & { transform: Transform },
  page: ListPage,
  pretty: boolean,
): Encoded | EncodedList {
  // Neither form carries shardInfo upstream.
  const metadata = { ...listMeta(page), shardInfo: undefined };
  switch (transform.kind) {
    case 'PartialObjectMetadata':
      throw wrongForm(scope, transform.kind, true);
    case 'PartialObjectMetadataList': {
      const head = { kind: transform.kind, apiVersion: `meta.k8s.io/${transform.version}`, metadata };
      // Go's empty slice is null here, unlike in every other list.
      if (page.objects.length === 0) return serializer.encodeObject(partialObjectMetadataListSchema, head, { pretty });
      const items = page.objects.map((stored) =>
        serializer.encodeItem(partialObjectMetadataSchema, partialObjectMetadata(scope.encoding.hub(stored).metadata, transform.version)),
      );
      return serializer.encodeList(head, [serializer.joinItems(items)], { pretty });
    }
    case 'Table': {
      const options = { version: transform.version, include: includeObject(request.query), headers: true, now: scope.services.now() };
      const entries = page.objects.map((stored) => ({
        hub: scope.encoding.hub(stored),
        object: () => scope.encoding.versioned(stored),
      }));
      return serializer.encodeObject(tableSchema, tableOf(scope.definition, metadata, entries, options), { pretty });
    }
  }
}

function listMeta(page: ListPage): ListMeta {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continue ? { continue: page.continue } : {}),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
    ...(page.shardSelector === undefined ? {} : { shardInfo: { selector: page.shardSelector } }),
  };
}
