import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, list, requiredField, string, struct } from '../../apimachinery/schema/struct-type.js';

/** The prefix of OpenAPI names in rbac.authorization.k8s.io/v1. */
export const RBAC_V1 = 'io.k8s.api.rbac.v1';

export const policyRuleSchema = struct(`${RBAC_V1}.PolicyRule`, 'A set of permissions: verbs on resources, or on paths.', [
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
]);

/** A set of rights. Absent and null lists are empty. */
export type PolicyRule = TypeOf<typeof policyRuleSchema>;

export const subjectSchema = struct(
  `${RBAC_V1}.Subject`,
  'A subject that gets the permissions of a role.',
  [
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
  { atomic: true },
);

/** A user, group or service account that has the rights of a role. `namespace` is that of a service account. */
export type Subject = TypeOf<typeof subjectSchema>;

export const roleRefSchema = struct(
  `${RBAC_V1}.RoleRef`,
  'Reference to the role of a binding.',
  [
    field('apiGroup', 1, string(), 'always', 'API group of the role: rbac.authorization.k8s.io.'),
    requiredField('kind', 2, string(), "'Role' or 'ClusterRole'."),
    requiredField('name', 3, string(), 'Name of the role.'),
  ],
  { atomic: true },
);

/** Refers to a `ClusterRole`, or to a `Role` in the binding's namespace. */
export type RoleRef = TypeOf<typeof roleRefSchema>;

/** The hub type of RoleBindings and ClusterRoleBindings: the shape of both in v1. */
export type BindingObject = KubeObject & { subjects?: readonly Subject[]; roleRef: RoleRef };
