import { field, list, requiredField, string, struct } from '../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../apimachinery/schema/type-of.js';

/** The prefix of OpenAPI names in rbac.authorization.k8s.io/v1. */
export const RBAC_V1 = 'io.k8s.api.rbac.v1';

/** rbac.authorization.k8s.io/v1 PolicyRule. */
export const policyRuleSchema = struct({
  goName: 'PolicyRule',
  openapiName: `${RBAC_V1}.PolicyRule`,
  description: 'A set of permissions: verbs on resources, or on paths.',
  fields: [
    requiredField('verbs', 1, list(string()), "Verbs that are allowed; '*' means all."),
    field('apiGroups', 2, list(string()), 'omitEmpty', "API groups of the resources; '' is the core group, '*' means all."),
    field('resources', 3, list(string()), 'omitEmpty', "Resources, or 'resource/subresource'; '*' means all."),
    field('resourceNames', 4, list(string()), 'omitEmpty', 'Names of the objects; if empty, all objects.'),
    field(
      'nonResourceURLs',
      5,
      list(string()),
      'omitEmpty',
      "Paths that are not resources; a '*' at the end matches any suffix. Allowed only in cluster roles, and not together with resources.",
    ),
  ],
});

/** A set of rights. Absent and null lists are empty. */
export type PolicyRule = TypeOf<typeof policyRuleSchema>;

/** rbac.authorization.k8s.io/v1 Subject. */
export const subjectSchema = struct({
  goName: 'Subject',
  openapiName: `${RBAC_V1}.Subject`,
  description: 'A subject that gets the permissions of a role.',
  atomic: true,
  fields: [
    requiredField('kind', 1, string(), "'User', 'Group' or 'ServiceAccount'."),
    field(
      'apiGroup',
      2,
      string(),
      'omitEmpty',
      "API group of the subject's kind: '' for service accounts, rbac.authorization.k8s.io for others.",
    ),
    requiredField('name', 3, string(), 'Name of the user, group or service account.'),
    field('namespace', 4, string(), 'omitEmpty', 'Namespace of a service account; by default that of the binding.'),
  ],
});

/** A user, group or service account that has the rights of a role. `namespace` is that of a service account. */
export type Subject = TypeOf<typeof subjectSchema>;

/** rbac.authorization.k8s.io/v1 RoleRef. */
export const roleRefSchema = struct({
  goName: 'RoleRef',
  openapiName: `${RBAC_V1}.RoleRef`,
  description: 'Reference to the role of a binding.',
  atomic: true,
  fields: [
    field('apiGroup', 1, string(), 'always', 'API group of the role: rbac.authorization.k8s.io.'),
    requiredField('kind', 2, string(), "'Role' or 'ClusterRole'."),
    requiredField('name', 3, string(), 'Name of the role.'),
  ],
});

/** Refers to a `ClusterRole`, or to a `Role` in the binding's namespace. */
export type RoleRef = TypeOf<typeof roleRefSchema>;
