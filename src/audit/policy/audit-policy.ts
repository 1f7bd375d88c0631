import type { AuditLevel, AuditStage } from '../event/audit-event.js';

/** Resources of one group; absent lists mean all. */
export interface GroupResources {
  /** '' is core, `*` every group. */
  readonly group: string;
  /** `leases`, `namespaces/status`, `*`, `namespaces/*`, `*` + `/status`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Matches requests and sets what is recorded of them; empty lists mean all. */
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

/** An audit.k8s.io/v1 Policy: the first matching rule decides; without one nothing is recorded. */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
  /** Whether requests that end in 401 or 403 are recorded even if their rule says None. Not part of the file format. */
  readonly recordsRefusals?: boolean;
}

/** The policy's decision for one request. */
export interface RequestAuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}
