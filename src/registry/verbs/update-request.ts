import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import { type AdmissionRequest, admit } from '../admission/admission.js';
import { isSameIdentity, keepIdentity } from '../rules/before-update.js';
import { matchName, matchNamespace } from '../rules/match-target.js';
import { ownCopy, toHub } from '../objects/object-copy.js';
import { dedupeOwnerReferences } from '../rules/dedupe-owner-references.js';
import type { RequestContext } from '../resource/request-context.js';
import { type ResourceScope, namespaceOf } from '../scope/resource-scope.js';
import type { RequestTarget, UpdateResult, UpdateSource } from '../resource/resource-store.js';
import { trackFields } from '../scope/track-fields.js';

export interface UpdateRequest {
  readonly context: RequestContext;
  readonly target: RequestTarget;
  readonly source: UpdateSource;
  readonly options: WriteOptions;
}

/** The result of one attempt; 'lost': another write came first, and the attempt must be repeated on the latest state. */
export type Attempt = UpdateResult | 'lost';

/** Returns the object that the client wants, checked against the URL and with defaults. The caller may change its first two levels. */
export function nextObject(scope: ResourceScope, { context, target, source }: UpdateRequest, live: KubeObject | undefined): KubeObject {
  const sent = ownCopy(source.next(live));
  matchNamespace(sent.metadata, namespaceOf(scope, target));
  matchName(sent.metadata, target.name);
  target.version.setDefaults?.(sent);
  // patches are deduplicated after admission only, as upstream does
  if (source.tracksFields === 'update' && source.mayCreate) dedupeOwnerReferences(sent.metadata, context, 'beforeAdmission');
  return sent;
}

/**
 * Runs admission on the client's object and tracks its managedFields; both objects are in the version's shape. The caller may change the
 * first two levels of `sent` and of the result. Returns a promise only if admission or the write policy has to wait, which most writes do
 * not.
 */
export function admittedObject(
  scope: ResourceScope,
  request: UpdateRequest,
  operation: AdmissionRequest['operation'],
  live: KubeObject | undefined,
  sent: KubeObject,
): KubeObject | Promise<KubeObject> {
  const { context, target, source, options } = request;
  const repeatsIdentity = live !== undefined && isSameIdentity(sent.metadata, live.metadata);
  if (live) keepIdentity(sent.metadata, live.metadata);
  const object = source.tracksFields === 'own' ? sent : trackFields(scope, { context, version: target.version, options }, live, sent);
  const admitted = admit(scope, operation, object, namespaceOf(scope, target), options.dryRun);
  const goOn = () => policedObject(scope, request, { live, repeatsIdentity }, object);
  return admitted ? admitted.then(goOn) : goOn();
}

function policedObject(
  scope: ResourceScope,
  { context, target }: UpdateRequest,
  { live, repeatsIdentity }: { readonly live: KubeObject | undefined; readonly repeatsIdentity: boolean },
  object: KubeObject,
): KubeObject | Promise<KubeObject> {
  dedupeOwnerReferences(object.metadata, context, 'afterAdmission');
  if (!scope.writePolicy) return object;
  const hubs = { object: toHub(target.version, object), live: live && toHub(target.version, live) };
  const checked = scope.writePolicy.check({ context, target, ...hubs, repeatsIdentity });
  return checked ? checked.then(() => object) : object;
}
