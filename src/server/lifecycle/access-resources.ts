import { selfSubjectReviewStore } from '../../apis/authentication/self-subject-review/self-subject-review.resource.js';
import type { TokenRequestStoreOptions } from '../../apis/authentication/token-request/token-request.resource.js';
import { tokenReviewStore } from '../../apis/authentication/token-review/token-review.resource.js';
import { localSubjectAccessReviewStore } from '../../apis/authorization/local-subject-access-review/local-subject-access-review.resource.js';
import { selfSubjectAccessReviewStore } from '../../apis/authorization/self-subject-access-review/self-subject-access-review.resource.js';
import { selfSubjectRulesReviewStore } from '../../apis/authorization/self-subject-rules-review/self-subject-rules-review.resource.js';
import { subjectAccessReviewStore } from '../../apis/authorization/subject-access-review/subject-access-review.resource.js';
import type { PolicyStores } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { clusterRoleBindingDefinition } from '../../apis/rbac/cluster-role-binding/cluster-role-binding.resource.js';
import { clusterRoleDefinition } from '../../apis/rbac/cluster-role/cluster-role.resource.js';
import { RoleBindingGuard } from '../../apis/rbac/escalation/role-binding-guard.js';
import { RoleGuard } from '../../apis/rbac/escalation/role-guard.js';
import { roleBindingDefinition } from '../../apis/rbac/role-binding/role-binding.resource.js';
import { roleDefinition } from '../../apis/rbac/role/role.resource.js';
import type { TokenVerifier } from '../../auth/authentication/token-verifier.js';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import type { RbacAuthorizer } from '../../auth/authorization/rbac/rbac-authorizer.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import type { ResourceStore } from '../../registry/resource-store.js';
import type { WriteGuard } from '../../registry/write-guard.js';
import type { Clock } from '../../telemetry/clock.js';

/** Makes the store of a resource. */
export type CreateStore = <T extends KubeObject>(definition: ResourceDefinition<T>, guard?: WriteGuard<T>) => ResourceStore<T>;

/** What tokens of service accounts are issued by. */
export type TokenIssuing = Pick<TokenRequestStoreOptions, 'issuer' | 'audiences' | 'maxExpirationSeconds'>;

/** What the resources about access answer and check by. */
export interface AccessResourcesOptions {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly tokens: TokenVerifier;
  readonly serviceAccountTokens: TokenIssuing;
  /** Whether nodes are held to their own leases. */
  readonly restrictsNodes: boolean;
  /** Whether all requests are allowed. */
  readonly allowsEverything?: boolean;
}

/** Roles and bindings, which nobody may use to get more rights than he has. */
export function createPolicyStores(store: CreateStore, access: AccessResourcesOptions): PolicyStores {
  const roles = store(roleDefinition, new RoleGuard(roleDefinition, access));
  const clusterRoles = store(clusterRoleDefinition, new RoleGuard(clusterRoleDefinition, access));
  const referenced = { ...access, roles: roles as unknown as ResourceStore, clusterRoles: clusterRoles as unknown as ResourceStore };
  return {
    roles,
    clusterRoles,
    roleBindings: store(roleBindingDefinition, new RoleBindingGuard(roleBindingDefinition, referenced)),
    clusterRoleBindings: store(clusterRoleBindingDefinition, new RoleBindingGuard(clusterRoleBindingDefinition, referenced)),
  };
}

/** The questions about who somebody is and what he may do, which are answered and not stored. */
export function createReviewStores({ authorizer, tokens }: AccessResourcesOptions, now: Clock): ResourceStore[] {
  const stores = [
    selfSubjectReviewStore(now),
    tokenReviewStore(tokens, now),
    localSubjectAccessReviewStore(authorizer, now),
    selfSubjectAccessReviewStore(authorizer, now),
    selfSubjectRulesReviewStore(authorizer, now),
    subjectAccessReviewStore(authorizer, now),
  ];
  return stores;
}
