import type { UserInfo } from '../../registry/request-context.js';

/** UserInfo in its wire shape. */
export interface UserInfoObject {
  username?: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

export function userInfoObject({ name, uid, groups, extra }: UserInfo): UserInfoObject {
  return { username: name, uid, groups, extra };
}
