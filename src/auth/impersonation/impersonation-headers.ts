import { quote } from '../../apimachinery/go/go-string.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { extraKey, headerText } from '../header-text.js';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';

/** Whether a request has impersonation headers. Runs on every request. `rawHeaders` alternates names and values. */
export function mentionsImpersonation(rawHeaders: readonly string[]): boolean {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // `i` in either case
    if ((name.charCodeAt(0) | 32) === 105 && name.slice(0, PREFIX.length).toLowerCase() === PREFIX) return true;
  }
  return false;
}

/**
 * Parses the user to impersonate; undefined if its name is empty and nothing else is asked for. Throws upstream's 400 for groups, uid or
 * extra without a name (apiserver endpoints/filters/impersonation). `rawHeaders` alternates names and values, because joined values could
 * not be told apart.
 */
export function wantedUser(rawHeaders: readonly string[]): UserInfo | undefined {
  const user = new WantedUser();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (name.startsWith(PREFIX)) user.take(name, headerText(rawHeaders[at + 1] ?? ''));
  }
  if (user.name !== '') return user;
  if (user.uid === '' && user.groups.length === 0 && Object.keys(user.extra).length === 0) return undefined;
  throw badRequest(`requested ${goDump(user)} without impersonating a user name`);
}

class WantedUser implements UserInfo {
  name = '';
  uid = '';
  readonly groups: string[] = [];
  readonly extra = Object.create(null) as Record<string, string[]>;
  readonly #seen = new Set<string>();

  /** `header` is in lower case. The first of several names or uids counts. */
  take(header: string, value: string): void {
    if (header === 'impersonate-group') this.groups.push(value);
    if (header.startsWith(EXTRA_PREFIX)) (this.extra[extraKey(header, EXTRA_PREFIX)] ??= []).push(value);
    if (this.#seen.has(header)) return;
    this.#seen.add(header);
    if (header === 'impersonate-user') this.name = value;
    if (header === 'impersonate-uid') this.uid = value;
  }
}

/** Go's %#v. */
function goDump({ name, uid, groups, extra }: UserInfo): string {
  const keys = Object.keys(extra).sort();
  const entries = keys.map((key) => `${quote(key)}:${goStrings(extra[key] ?? [])}`).join(', ');
  const map = keys.length === 0 ? '(nil)' : `{${entries}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${goStrings(groups)}, Extra:map[string][]string${map}}`;
}

function goStrings(list: readonly string[]): string {
  return list.length === 0 ? '[]string(nil)' : `[]string{${list.map(quote).join(', ')}}`;
}
