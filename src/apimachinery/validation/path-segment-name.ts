import { FINE } from './messages.js';

/**
 * The rules that a name breaks as a segment of a URL path; every object's name keeps them. A prefix may be `.` or `..`, since more
 * is to come. A `NameValidator`.
 */
export function isPathSegmentName(name: string, prefix: boolean): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const slash = name.includes('/');
  const percent = name.includes('%');
  if (!slash && !percent) return FINE;
  return [...(slash ? ["may not contain '/'"] : []), ...(percent ? ["may not contain '%'"] : [])];
}
