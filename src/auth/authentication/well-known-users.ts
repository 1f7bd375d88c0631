import type { UserInfo } from '../../registry/request-context.js';

export const ALL_AUTHENTICATED = 'system:authenticated';
export const ALL_UNAUTHENTICATED = 'system:unauthenticated';
/** Kubelets. */
export const NODES = 'system:nodes';
/** Members may do everything. */
export const SYSTEM_MASTERS = 'system:masters';

/** Who asks when nobody says so. */
export const ANONYMOUS: UserInfo = Object.freeze({ name: 'system:anonymous', uid: '', groups: [ALL_UNAUTHENTICATED], extra: {} });

/** The user with the group of everybody who is known (apiserver authentication/group/authenticated_group_adder.go). */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(ALL_AUTHENTICATED) || user.groups.includes(ALL_UNAUTHENTICATED)) return user;
  return Object.freeze({ ...user, groups: [...user.groups, ALL_AUTHENTICATED] });
}
