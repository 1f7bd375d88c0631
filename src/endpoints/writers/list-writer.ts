import type { EncodedList } from '../../apimachinery/codec/encoded-list.js';
import type { Encoded, ItemRun, Serializer } from '../../apimachinery/codec/serializer.js';
import type { KubeObject, ListMeta } from '../../apimachinery/meta/kube-object.js';
import { partialObjectMetadataListSchema, partialObjectMetadataSchema } from '../../apimachinery/meta/partial-object-metadata.schema.js';
import { tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { ListPage } from '../../registry/resource-store.js';
import { loopTurns } from '../../storage/loop-turns.js';
import type { OutputChoice, Transform } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';
import { sendAnswer } from './answer.js';
import { auditAnswer } from './audit-answer.js';
import { wrongForm } from './required-form.js';
import { includeObject, partialObjectMetadata, tableOf } from './table.js';

/** Objects of which the encoding takes milliseconds. */
const LONG_LIST = 250;
const METADATA_RUN = 16;

/** A page, and the form in which it is answered. */
interface ListAnswer extends OutputChoice {
  readonly scope: RequestScope;
  readonly request: ApiRequest;
  readonly page: ListPage;
}

/** Answers with a list, put together from runs of items that are encoded once per state of their objects. */
export async function writeList(scope: RequestScope, request: ApiRequest, choice: OutputChoice, page: ListPage): Promise<void> {
  if (choice.transform?.kind === 'PartialObjectMetadata') throw wrongForm(scope, choice.transform.kind, true);
  const pretty = choice.pretty || wantsPretty(request.query, request.userAgent);
  const { serializer } = choice;
  const list: ListAnswer = { ...choice, pretty, scope, request, page };
  const body = page.objects.length < LONG_LIST ? encode(list) : await encodeInTurns(list);
  if (request.aborted) return;
  if (request.audit?.keepsResponse) {
    const encodeAs = (other: Serializer) => encode({ ...list, serializer: other, pretty: false });
    auditAnswer(scope, request, { body, serializer, pretty, encodeAs });
  }
  sendAnswer(request, 200, serializer.mediaType, body);
}

/** A long one is encoded in portions, so that it does not keep everybody else waiting; a Table is a single one. */
async function encodeInTurns(list: ListAnswer): Promise<Encoded | EncodedList> {
  if (list.transform?.kind === 'Table') return loopTurns.do(() => encode(list));
  return encode(list, await loopTurns.gather(itemRuns(list)));
}

function encode(list: ListAnswer, runs?: readonly ItemRun[]): Encoded | EncodedList {
  const { scope, serializer, transform, pretty, page } = list;
  if (transform?.kind === 'Table') return encodeTable(list, transform);
  if (transform && page.objects.length === 0) {
    // Go's empty slice is null here, unlike in every other list.
    return serializer.encodeObject(partialObjectMetadataListSchema, metadataHead(list, transform), { pretty });
  }
  const head = transform ? metadataHead(list, transform) : { kind: scope.listKind, apiVersion: scope.apiVersion, metadata: listMeta(page) };
  return serializer.encodeList(head, runs ?? [...itemRuns(list)], { pretty });
}

function itemRuns({ scope, serializer, transform, page }: ListAnswer): Runs {
  return transform ? metadataRuns(scope, serializer, transform, page) : scope.encoding.items(page.objects, serializer);
}

type Runs = Generator<ItemRun, undefined>;

function* metadataRuns(scope: RequestScope, serializer: Serializer, { version }: Transform, { objects }: ListPage): Runs {
  for (let at = 0; at < objects.length; at += METADATA_RUN) {
    const metadata = objects.slice(at, at + METADATA_RUN).map((stored) => scope.encoding.hub(stored).metadata);
    const items = metadata.map((item) => serializer.encodeItem(partialObjectMetadataSchema, partialObjectMetadata(item, version)));
    yield serializer.joinItems(items);
  }
}

function metadataHead({ page }: ListAnswer, { kind, version }: Transform) {
  return { kind, apiVersion: `meta.k8s.io/${version}`, metadata: transformedMeta(page) };
}

function encodeTable({ scope, request, serializer, pretty, page }: ListAnswer, { version }: Transform): Encoded {
  const options = { version, include: includeObject(request.query), headers: true, now: scope.services.now() };
  const entries = page.objects.map((stored) => ({
    hub: scope.encoding.hub(stored),
    object: (): KubeObject => scope.encoding.versioned(stored),
  }));
  return serializer.encodeObject(tableSchema, tableOf(scope.definition, transformedMeta(page), entries, options), { pretty });
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
