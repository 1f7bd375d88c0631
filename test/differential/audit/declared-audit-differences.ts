import type { Difference } from '../answers/compared-answer.js';
import { type Declaration, areAll, GRANT } from '../declared-differences.js';
import type { Question } from '../question.js';

/** Intended differences between audit events; `documented` are words of docs/compatibility.md. */
export const DECLARED_AUDIT: readonly Declaration[] = [
  {
    documented: 'records no bodies of TokenReviews and token requests',
    rate: 35,
    covers: (differences, { path }) =>
      /\/(tokenreviews|serviceaccounts\/[^/]+\/token)(\/|$)/.test(path) &&
      areAll(differences, [
        [/^audit\.\w+\.level$/, (upstream, ours) => upstream === 'RequestResponse' && ours === 'Metadata'],
        [
          /^audit\.\w+\.(requestObject|responseObject|responseStatus\.message)$/,
          (upstream, ours) => upstream !== undefined && ours === undefined,
        ],
      ]),
  },
  {
    documented: 'is refused before it is executed',
    rate: 1,
    covers: (differences, { headers: { accept = '' } }) =>
      accept.includes('as=PartialObjectMetadata') &&
      areAll(differences, [
        [
          /^audit\.\w+\.(objectRef\.(name|namespace|uid|resourceVersion)|requestObject)$/,
          (upstream, ours) => upstream !== undefined && ours === undefined,
        ],
      ]),
  },
  {
    documented: 'kube-apiserver names any of the bindings that allow a request',
    rate: 3,
    covers: (differences) =>
      areAll(differences, [
        [
          /^audit\.\w+\.annotations\.authorization\.k8s\.io\/reason$/,
          (upstream, ours) => GRANT.test(String(upstream)) && GRANT.test(String(ours)),
        ],
      ]),
  },
];

/** Returns the declaration that covers the differences of a request's events; undefined if there is none. */
export function auditDeclarationOf(differences: readonly Difference[], question: Question): Declaration | undefined {
  return DECLARED_AUDIT.find((declaration) => declaration.covers(differences, question));
}
