import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';
import { pathCovers } from '../../auth/authorization/node-authorizer.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
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

interface CompiledRule {
  readonly rule: PolicyRule;
  readonly config: RequestAuditConfig;
  /** For requests whose bodies contain credentials. */
  readonly guarded: RequestAuditConfig;
}

/** Finds the rule for a request (apiserver pkg/audit/policy/checker.go). Bodies with credentials are never recorded. */
export class PolicyEvaluator {
  readonly recordsRefusals: boolean;
  readonly #rules: readonly CompiledRule[];
  readonly #default: RequestAuditConfig;

  constructor(policy: AuditPolicy) {
    this.recordsRefusals = policy.recordsRefusals ?? false;
    const { omitManagedFields } = policy;
    this.#default = { level: 'None', omitStages: new Set(policy.omitStages), omitManagedFields };
    this.#rules = policy.rules.map((rule) => {
      const omitStages = new Set([...policy.omitStages, ...rule.omitStages]);
      const config: RequestAuditConfig = {
        level: rule.level,
        omitStages,
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      };
      return { rule, config, guarded: rule.level === 'None' ? config : { ...config, level: 'Metadata' } };
    });
  }

  /** `user`: undefined if authentication failed. */
  evaluate(user: UserInfo | undefined, attributes: AuthorizationAttributes): RequestAuditConfig {
    for (const { rule, config, guarded } of this.#rules) {
      if (matches(rule, user, attributes)) return carriesCredentials(attributes) ? guarded : config;
    }
    return this.#default;
  }

  /** How a refused request is recorded if its rule says None. */
  refused(): RequestAuditConfig {
    return { ...this.#default, level: 'Metadata' };
  }
}

function matches(rule: PolicyRule, user: UserInfo | undefined, attributes: AuthorizationAttributes): boolean {
  const { users, userGroups, verbs } = rule;
  if (verbs.length > 0 && !verbs.includes(attributes.verb)) return false;
  if (users.length > 0 && !(user && users.includes(user.name))) return false;
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes);
  if (rule.nonResourceURLs.length > 0) return matchesPath(rule, attributes);
  return true;
}

function matchesPath({ nonResourceURLs }: PolicyRule, { isResourceRequest, path }: AuthorizationAttributes): boolean {
  return !isResourceRequest && nonResourceURLs.some((pattern) => pathCovers(pattern, path));
}

function matchesResource({ namespaces, resources }: PolicyRule, attributes: AuthorizationAttributes): boolean {
  if (!attributes.isResourceRequest) return false;
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  return resources.length === 0 || resources.some((each) => coversResource(each, attributes));
}

function coversResource(
  { group, resources, resourceNames }: GroupResources,
  { apiGroup, resource, subresource, name }: AuthorizationAttributes,
): boolean {
  if (group !== '*' && group !== apiGroup) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (each) => each === '*' || each === combined || each === `${resource}/*` || (subresource !== '' && each === `*/${subresource}`),
  );
}

/**
 * Whether bodies of this resource contain tokens. Upstream relies on the policy to keep them out of the log; this server never records
 * them.
 */
export function carriesCredentials({ isResourceRequest, apiGroup, resource, subresource }: AuthorizationAttributes): boolean {
  if (!isResourceRequest) return false;
  if (apiGroup === 'authentication.k8s.io') return resource === 'tokenreviews';
  return apiGroup === '' && (resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token'));
}
