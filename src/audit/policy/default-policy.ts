import type { AuditPolicy } from './audit-policy.js';
import { readPolicy } from './read-policy.js';

/** The policy used if a backend but no policy is configured; shown in docs/audit.md. */
export const DEFAULT_POLICY_TEXT = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  # What every client asks all the time: health, versions, documents.
  - level: None
    nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', /version, /metrics, '/openapi/*', /api, '/api/*', /apis, '/apis/*']
  # Leader election and heartbeats: each holder looks at its lease and renews it every few seconds.
  - level: None
    verbs: [get, update, patch]
    resources: [{ group: coordination.k8s.io, resources: [leases, leasecandidates] }]
  # Events tell their own story.
  - level: None
    verbs: [create, update, patch]
    resources: [{ group: '', resources: [events] }, { group: events.k8s.io, resources: [events] }]
  # Who gives rights to whom, to the letter.
  - level: RequestResponse
    verbs: [create, update, patch, delete, deletecollection]
    resources: [{ group: rbac.authorization.k8s.io }]
  - level: Metadata
`;

/** The parsed default policy. It also records every request that ends in 401 or 403. */
export function defaultPolicy(): AuditPolicy {
  return { ...readPolicy(DEFAULT_POLICY_TEXT).policy, recordsRefusals: true };
}
