import { FINE } from './messages.js';

/** Characters with a special meaning in paths, and NUL, which kube-apiserver accepts but PostgreSQL cannot store. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['/', "may not contain '/'"],
  ['%', "may not contain '%'"],
  ['\0', 'may not contain a NUL character'],
];

/**
 * A `NameValidator` with the rules for a segment of a URL path, which apply to every object. A prefix may be `.` or `..`, since more will
 * be appended.
 */
export function isPathSegmentName(name: string, prefix: boolean): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const broken = FORBIDDEN.filter(([character]) => name.includes(character));
  return broken.length === 0 ? FINE : broken.map(([, message]) => message);
}
