import { FINE } from './messages.js';

/** Characters with a meaning in paths, and NUL, which kube-apiserver accepts and PostgreSQL cannot store. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['/', "may not contain '/'"],
  ['%', "may not contain '%'"],
  ['\0', 'may not contain a NUL character'],
];

/**
 * The rules that a name breaks as a segment of a URL path; every object's name keeps them. A prefix may be `.` or `..`, since more
 * is to come. A `NameValidator`.
 */
export function isPathSegmentName(name: string, prefix: boolean): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const broken = FORBIDDEN.filter(([character]) => name.includes(character));
  return broken.length === 0 ? FINE : broken.map(([, message]) => message);
}
