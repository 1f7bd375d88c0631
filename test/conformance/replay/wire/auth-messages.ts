import { type ProtoMessage, field, list, pointer, text } from './proto-field.js';

/** Reviews and rules by kind, from the generated.proto of authentication, authorization and rbac. */
export const AUTH_MESSAGES: Readonly<Record<string, ProtoMessage>> = {
  PolicyRule: {
    verbs: list(1, 'text'),
    apiGroups: list(2, 'text'),
    resources: list(3, 'text'),
    resourceNames: list(4, 'text'),
    nonResourceURLs: list(5, 'text'),
  },
  Role: { metadata: field(1, 'ObjectMeta'), rules: list(2, 'PolicyRule') },
  RoleList: { metadata: field(1, 'ListMeta'), items: list(2, 'Role') },
  RoleBindingList: { metadata: field(1, 'ListMeta'), items: list(2, 'RoleBinding') },
  RoleBinding: { metadata: field(1, 'ObjectMeta'), subjects: list(2, 'Subject'), roleRef: field(3, 'RoleRef') },
  RoleRef: { apiGroup: text(1), kind: text(2), name: text(3) },
  Subject: { kind: text(1), apiGroup: text(2), name: text(3), namespace: text(4) },
  SubjectAccessReview: {
    metadata: field(1, 'ObjectMeta'),
    spec: field(2, 'SubjectAccessReviewSpec'),
    status: field(3, 'SubjectAccessReviewStatus'),
  },
  SelfSubjectAccessReview: {
    metadata: field(1, 'ObjectMeta'),
    spec: field(2, 'SelfSubjectAccessReviewSpec'),
    status: field(3, 'SubjectAccessReviewStatus'),
  },
  SubjectAccessReviewSpec: {
    resourceAttributes: pointer(1, 'ResourceAttributes'),
    nonResourceAttributes: pointer(2, 'NonResourceAttributes'),
    user: text(3),
    groups: list(4, 'text'),
    uid: text(6),
  },
  SelfSubjectAccessReviewSpec: {
    resourceAttributes: pointer(1, 'ResourceAttributes'),
    nonResourceAttributes: pointer(2, 'NonResourceAttributes'),
  },
  ResourceAttributes: {
    namespace: text(1),
    verb: text(2),
    group: text(3),
    version: text(4),
    resource: text(5),
    subresource: text(6),
    name: text(7),
  },
  NonResourceAttributes: { path: text(1), verb: text(2) },
  SubjectAccessReviewStatus: { allowed: field(1, 'boolean'), reason: text(2), evaluationError: text(3), denied: field(4, 'boolean') },
  TokenReview: { metadata: field(1, 'ObjectMeta'), spec: field(2, 'TokenReviewSpec'), status: field(3, 'TokenReviewStatus') },
  TokenReviewSpec: { token: text(1), audiences: list(2, 'text') },
  TokenReviewStatus: { authenticated: field(1, 'boolean'), user: field(2, 'UserInfo'), error: text(3), audiences: list(4, 'text') },
  UserInfo: { username: text(1), uid: text(2), groups: list(3, 'text') },
};
