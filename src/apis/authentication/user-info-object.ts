import type { TypeOf } from '../../apimachinery/schema/type-of.js';
import type { userInfoSchema } from './authentication.schema.js';
import type { UserInfo } from '../../registry/resource/request-context.js';

/** UserInfo in its wire shape. */
export type UserInfoObject = TypeOf<typeof userInfoSchema>;

export function userInfoObject({ name, uid, groups, extra }: UserInfo): UserInfoObject {
  return { username: name, uid, groups, extra };
}
