import type { AuditPolicy } from './audit-policy.js';
import { readPolicy } from './read-policy.js';

/** The policy of servers that are given a place for events and no policy; docs/audit.md shows it. */
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

/** The same; it also records every request that is answered 401 or 403. */
export function defaultPolicy(): AuditPolicy {
  return { ...readPolicy(DEFAULT_POLICY_TEXT).policy, recordsRefusals: true };
}
