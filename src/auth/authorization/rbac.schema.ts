import { field, list, requiredField, string, struct } from '../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../apimachinery/schema/type-of.js';

/** The prefix of OpenAPI names in rbac.authorization.k8s.io/v1. */
export const RBAC_V1 = 'io.k8s.api.rbac.v1';

/** rbac.authorization.k8s.io/v1 PolicyRule. */
export const policyRuleSchema = struct({
  goName: 'PolicyRule',
  openapiName: `${RBAC_V1}.PolicyRule`,
  description: 'A set of rights: what may be done with which resources, or with which paths.',
  fields: [
    requiredField('verbs', 1, list(string()), "What may be done; '*' is everything."),
    field('apiGroups', 2, list(string()), 'omitEmpty', "The groups of the resources; '' is the core group, '*' all of them."),
    field('resources', 3, list(string()), 'omitEmpty', "The resources, or 'resource/subresource'; '*' is all of them."),
    field('resourceNames', 4, list(string()), 'omitEmpty', 'Only objects of these names; none: all objects.'),
    field(
      'nonResourceURLs',
      5,
      list(string()),
      'omitEmpty',
      "Paths that are no resources; a '*' at the end stands for whatever follows. Only in cluster roles, and not together with resources.",
    ),
  ],
});

/** A set of rights. Absent and null lists are empty. */
export type PolicyRule = TypeOf<typeof policyRuleSchema>;

/** rbac.authorization.k8s.io/v1 Subject. */
export const subjectSchema = struct({
  goName: 'Subject',
  openapiName: `${RBAC_V1}.Subject`,
  description: 'Somebody who gets the rights of a role.',
  atomic: true,
  fields: [
    requiredField('kind', 1, string(), "'User', 'Group' or 'ServiceAccount'."),
    field('apiGroup', 2, string(), 'omitEmpty', "The group of the kind: '' for service accounts, else rbac.authorization.k8s.io."),
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
  description: 'Names the role of a binding.',
  atomic: true,
  fields: [
    field('apiGroup', 1, string(), 'always', 'The group of the role: rbac.authorization.k8s.io.'),
    requiredField('kind', 2, string(), "'Role' or 'ClusterRole'."),
    requiredField('name', 3, string(), 'Name of the role.'),
  ],
});

/** Refers to a `ClusterRole`, or to a `Role` in the binding's namespace. */
export type RoleRef = TypeOf<typeof roleRefSchema>;
