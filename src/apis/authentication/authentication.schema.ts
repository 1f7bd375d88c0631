import { type TypeOf, field, list, map, string, struct } from '../../apimachinery/schema/struct-type.js';
import type { UserInfo } from '../../registry/resource/request-context.js';

export const AUTHENTICATION_V1 = 'io.k8s.api.authentication.v1';
export const AUTHENTICATION_GROUP = 'authentication.k8s.io';

export const userInfoSchema = struct(`${AUTHENTICATION_V1}.UserInfo`, 'A user, as determined by authentication.', [
  field('username', 1, string(), 'omitEmpty', 'Name, unique among all users.'),
  field('uid', 2, string(), 'omitEmpty', 'Identifier that distinguishes users of the same name over time.'),
  field('groups', 3, list(string()), 'omitEmpty', 'The groups of the user.'),
  field(
    'extra',
    4,
    map(list(string(), { goType: 'v1.ExtraValue', undeclared: true, protoWrapped: true })),
    'omitEmpty',
    'Additional attributes of the user.',
  ),
]);

/** UserInfo in its wire shape. */
export type UserInfoObject = TypeOf<typeof userInfoSchema>;

export function userInfoObject({ name, uid, groups, extra }: UserInfo): UserInfoObject {
  return { username: name, uid, groups, extra };
}
