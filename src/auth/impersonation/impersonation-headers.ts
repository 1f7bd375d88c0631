import type { IncomingHttpHeaders } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { quote } from '../../apimachinery/errors/field-error.js';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/request-context.js';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';

/** Whether a request asks to act as somebody else; looked at for every request. */
export function mentionsImpersonation(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.charCodeAt(0) === 105 && name.startsWith(PREFIX)) return true;
  return false;
}

/**
 * Whom a request wants to act as, as its headers say it; undefined where the user's name is empty and nothing else is asked for. Throws
 * upstream's 400 for groups and the like without a name (apiserver endpoints/filters/impersonation). `rawHeaders` are names and values
 * in turn, since joined values could not be told apart.
 */
export function wantedUser(rawHeaders: readonly string[]): UserInfo | undefined {
  const wanted = { name: '', uid: '', groups: [] as string[], extra: Object.create(null) as Record<string, string[]> };
  const seen = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!name.startsWith(PREFIX)) continue;
    const value = utf8(rawHeaders[at + 1] ?? '');
    if (name === 'impersonate-group') wanted.groups.push(value);
    else if (name.startsWith(EXTRA_PREFIX)) (wanted.extra[extraKey(name)] ??= []).push(value);
    // of several the first counts
    else if (!seen.has(name) && name === 'impersonate-user') wanted.name = value;
    else if (!seen.has(name) && name === 'impersonate-uid') wanted.uid = value;
    seen.add(name);
  }
  if (wanted.name !== '') return wanted;
  if (wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0) return undefined;
  throw badRequest(`requested ${goDump(wanted)} without impersonating a user name`);
}

/** Headers are read as Latin-1; names in them are UTF-8. */
function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

function extraKey(header: string): string {
  const key = header.slice(EXTRA_PREFIX.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
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
