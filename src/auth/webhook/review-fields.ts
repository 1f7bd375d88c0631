import type { UserInfo } from '../../registry/request-context.js';

/** The members of an answer, as far as they are of the type that they should be; anything else counts as absent. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The user that a webhook names. */
export function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = membersOf(value);
  const entries = Object.entries(membersOf(extra)).map(([key, values]): [string, string[]] => [key, textsOf(values)]);
  return { name: textOf(username), uid: textOf(uid), groups: textsOf(groups), extra: Object.fromEntries(entries) };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
