import { parse as parseYaml } from 'yaml';
import { aggregateTexts } from '../../apimachinery/errors/api-error.js';
import { type FieldError, invalid, notSupported, required } from '../../apimachinery/errors/field-error.js';
import { validateDnsSubdomain } from '../../apimachinery/validation/names.js';
import { type AuditLevel, type AuditStage, AUDIT_LEVELS, AUDIT_STAGES } from '../event/audit-event.js';
import type { AuditPolicy, GroupResources, PolicyRule } from './audit-policy.js';

/** An unusable policy; the message is for the operator. */
export class AuditPolicyError extends Error {}

export interface ReadPolicy {
  readonly policy: AuditPolicy;
  /** Unknown fields, ignored as upstream does; the caller should warn about them. */
  readonly unknownFields: readonly string[];
}

/** Reads an audit.k8s.io/v1 Policy from YAML or JSON (apiserver pkg/audit/policy/reader.go). Throws AuditPolicyError. */
export function readPolicy(text: string): ReadPolicy {
  const reader = new PolicyReader();
  const policy = reader.policy(parse(text));
  const errors = validatePolicy(policy);
  if (errors.length > 0) throw new AuditPolicyError(aggregateTexts(errors.map(({ field, body }) => `${field}: ${body}`)));
  if (policy.rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules');
  return { policy, unknownFields: reader.unknownFields };
}

function parse(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw new AuditPolicyError(`failed decoding: ${(error as Error).message.split('\n')[0] ?? ''}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

const POLICY_FIELDS = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'];
const RULE_FIELDS = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
];

/** Reads typed values and throws on wrong types; null counts as absent. */
class PolicyReader {
  readonly unknownFields: string[] = [];

  policy(value: unknown): AuditPolicy {
    const fields = this.#fields(value, '', POLICY_FIELDS);
    const { apiVersion, kind } = fields;
    if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy') {
      throw new AuditPolicyError(`unknown group version field ${text(apiVersion)}, Kind=${text(kind)} in policy`);
    }
    return {
      rules: list(fields['rules'], 'rules').map((rule, at) => this.#rule(rule, `rules[${at}]`)),
      omitStages: stages(fields['omitStages'], 'omitStages'),
      omitManagedFields: flag(fields['omitManagedFields'], 'omitManagedFields') ?? false,
    };
  }

  #rule(value: unknown, path: string): PolicyRule {
    const fields = this.#fields(value, path, RULE_FIELDS);
    const texts = (name: string): string[] => strings(fields[name], `${path}.${name}`);
    const omitManagedFields = flag(fields['omitManagedFields'], `${path}.omitManagedFields`);
    return {
      level: string(fields['level'], `${path}.level`) as AuditLevel,
      users: texts('users'),
      userGroups: texts('userGroups'),
      verbs: texts('verbs'),
      resources: list(fields['resources'], `${path}.resources`).map((each, at) => this.#resources(each, `${path}.resources[${at}]`)),
      namespaces: texts('namespaces'),
      nonResourceURLs: texts('nonResourceURLs'),
      omitStages: stages(fields['omitStages'], `${path}.omitStages`),
      ...(omitManagedFields === undefined ? {} : { omitManagedFields }),
    };
  }

  #resources(value: unknown, path: string): GroupResources {
    const fields = this.#fields(value, path, ['group', 'resources', 'resourceNames']);
    return {
      group: string(fields['group'], `${path}.group`),
      resources: strings(fields['resources'], `${path}.resources`),
      resourceNames: strings(fields['resourceNames'], `${path}.resourceNames`),
    };
  }

  #fields(value: unknown, path: string, known: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unfit(path, 'an object');
    for (const name of Object.keys(value)) if (!known.includes(name)) this.unknownFields.push(path === '' ? name : `${path}.${name}`);
    return value as Fields;
  }
}

function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unfit(path, 'a list');
  return value;
}

function strings(value: unknown, path: string): string[] {
  return list(value, path).map((each, at) => string(each, `${path}[${at}]`));
}

function stages(value: unknown, path: string): AuditStage[] {
  return strings(value, path) as AuditStage[];
}

function string(value: unknown, path: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw unfit(path, 'a text');
  return value;
}

function flag(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw unfit(path, 'true or false');
  return value;
}

function unfit(path: string, expected: string): AuditPolicyError {
  return new AuditPolicyError(`failed decoding: ${path === '' ? 'the policy' : path} must be ${expected}`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the errors in a policy (apiserver pkg/apis/audit/validation). */
function validatePolicy({ rules, omitStages }: AuditPolicy): FieldError[] {
  return [...validateStages(omitStages, 'omitStages'), ...rules.flatMap((rule, at) => validateRule(rule, `rules[${at}]`))];
}

function validateRule(rule: PolicyRule, path: string): FieldError[] {
  const errors = [
    ...validateLevel(rule.level, `${path}.level`),
    ...rule.nonResourceURLs.flatMap((url, at) => validatePath(url, `${path}.nonResourceURLs[${at}]`)),
    ...rule.resources.flatMap((each) => validateResources(each, `${path}.resources`)),
    ...validateStages(rule.omitStages, `${path}.omitStages`),
  ];
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalid(`${path}.nonResourceURLs`, rule.nonResourceURLs, detail));
  }
  return errors;
}

function validateLevel(level: string, path: string): FieldError[] {
  if (level === '') return [required(path)];
  return AUDIT_LEVELS.includes(level as AuditLevel) ? [] : [notSupported(path, level, AUDIT_LEVELS)];
}

function validatePath(url: string, path: string): FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/')) errors.push(invalid(path, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*')) {
    errors.push(invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  return errors;
}

function validateResources({ group, resources, resourceNames }: GroupResources, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const messages = group === '' || group === '*' ? [] : validateDnsSubdomain(group);
  if (messages.length > 0) errors.push(invalid(`${path}.group`, group, messages.join(',')));
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(invalid(`${path}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'));
  }
  return errors;
}

function validateStages(stages: readonly string[], path: string): FieldError[] {
  const detail = `allowed stages are ${AUDIT_STAGES.join(',')}`;
  return stages.flatMap((stage, at) => (AUDIT_STAGES.includes(stage as AuditStage) ? [] : [invalid(`${path}[${at}]`, stage, detail)]));
}

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
