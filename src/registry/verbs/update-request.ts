import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { UpdateOptions } from '../../apimachinery/meta/options/request-options.js';
import { admit } from '../admit.js';
import type { AdmissionRequest } from '../admission/admission.js';
import { isSameIdentity, keepIdentity } from '../before-update.js';
import { matchName, matchNamespace } from '../match-target.js';
import { ownCopy, toHub } from '../object-copy.js';
import { dedupeOwnerReferences } from '../owner-references.js';
import type { RequestContext } from '../request-context.js';
import type { ResourceScope } from '../resource-scope.js';
import { namespaceOf } from '../resource-scope.js';
import type { RequestTarget, UpdateResult, UpdateSource } from '../resource-store.js';
import { trackFields } from '../track-fields.js';

export interface UpdateRequest {
  readonly context: RequestContext;
  readonly target: RequestTarget;
  readonly source: UpdateSource;
  readonly options: UpdateOptions;
}

/** What an attempt came to: an answer, or a write that lost its race and has to be thought over. */
export type Attempt = UpdateResult | 'lost';

/** The client's object, checked against the URL; its first two levels may be written to. */
export function nextObject(scope: ResourceScope, { context, target, source }: UpdateRequest, live: KubeObject | undefined): KubeObject {
  const sent = ownCopy(source.next(live));
  matchNamespace(sent.metadata, namespaceOf(scope, target));
  matchName(sent.metadata, target.name);
  target.version.setDefaults?.(sent);
  // patches are looked at after admission only
  if (source.tracksFields === 'update' && source.mayCreate) dedupeOwnerReferences(sent.metadata, context, 'beforeAdmission');
  return sent;
}

/**
 * The client's object with its managedFields, after admission; both objects are in the version's shape. The first two levels of `sent`,
 * and of what this answers, may be written to. No promise where nobody has to be waited for, which is so for most writes.
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
  const goOn = () => guardedObject(scope, request, { live, repeatsIdentity }, object);
  return admitted ? admitted.then(goOn) : goOn();
}

function guardedObject(
  scope: ResourceScope,
  { context, target }: UpdateRequest,
  { live, repeatsIdentity }: { readonly live: KubeObject | undefined; readonly repeatsIdentity: boolean },
  object: KubeObject,
): KubeObject | Promise<KubeObject> {
  dedupeOwnerReferences(object.metadata, context, 'afterAdmission');
  if (!scope.guard) return object;
  const hubs = { object: toHub(target.version, object), live: live && toHub(target.version, live) };
  const checked = scope.guard.check({ context, target, ...hubs, repeatsIdentity });
  return checked ? checked.then(() => object) : object;
}
