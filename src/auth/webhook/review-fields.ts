import type { UserInfo } from '../../registry/resource/request-context.js';

/** Reads fields of a webhook's response; values of the wrong type count as absent. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Parses the user in a webhook's response. */
export function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = membersOf(value);
  const entries = Object.entries(membersOf(extra)).map(([key, values]): [string, string[]] => [key, textsOf(values)]);
  return { name: textOf(username), uid: textOf(uid), groups: textsOf(groups), extra: Object.fromEntries(entries) };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
