import type { AuditLevel, AuditStage } from '../audit-event.js';

/** Resources of one group; absent lists stand for all. */
export interface GroupResources {
  /** '' is core, `*` every group. */
  readonly group: string;
  /** `leases`, `namespaces/status`, `*`, `namespaces/*`, `*` + `/status`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Which requests are recorded, and how much of them; empty lists stand for all. */
export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** audit.k8s.io/v1 Policy: the first rule that fits a request decides; without one it is not recorded. */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
  /** Whether requests answered 401 or 403 are recorded even if their rule says None. No part of the file format. */
  readonly recordsRefusals?: boolean;
}

/** What the policy says of one request. */
export interface RequestAuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}
