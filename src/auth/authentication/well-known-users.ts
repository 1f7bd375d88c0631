import type { UserInfo } from '../../registry/resource/request-context.js';

export const ALL_AUTHENTICATED = 'system:authenticated';
export const ALL_UNAUTHENTICATED = 'system:unauthenticated';
/** Kubelets. */
export const NODES = 'system:nodes';
/** Members are allowed everything. */
export const SYSTEM_MASTERS = 'system:masters';

/** The user of requests without credentials. */
export const ANONYMOUS: UserInfo = Object.freeze({ name: 'system:anonymous', uid: '', groups: [ALL_UNAUTHENTICATED], extra: {} });

/** Adds system:authenticated to the groups of a user other than system:anonymous (apiserver authentication/group/authenticated_group_adder.go). */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS.name) return user;
  if (user.groups.includes(ALL_AUTHENTICATED) || user.groups.includes(ALL_UNAUTHENTICATED)) return user;
  return Object.freeze({ ...user, groups: [...user.groups, ALL_AUTHENTICATED] });
}
