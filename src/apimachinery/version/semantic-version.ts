/** One dot-separated part of a pre-release: numbers are compared numerically and precede texts. */
type PreReleasePart = bigint | string;

/** A version according to semver.org 2.0. Build metadata is ignored. */
export interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly preRelease: readonly PreReleasePart[];
}

/** `0.0.0`, which also represents unparsable versions. */
export const ZERO_VERSION: SemanticVersion = { major: 0n, minor: 0n, patch: 0n, preRelease: [] };

const NUMBER = '0|[1-9][0-9]*';
const PART = '[0-9A-Za-z-]+';
const STRICT = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PART}(?:\\.${PART})*))?(?:\\+${PART}(?:\\.${PART})*)?$`);
const MAX_NUMBER = (1n << 64n) - 1n;

/** Exactly MAJOR.MINOR.PATCH with optional `-pre` and `+build`; undefined for anything else (blang/semver Parse). */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = STRICT.exec(text);
  if (!match) return undefined;
  const [major, minor, patch] = match.slice(1, 4).map(BigInt) as [bigint, bigint, bigint];
  const preRelease = match[4] === undefined ? [] : match[4].split('.').map(preReleasePart);
  const numbers = [major, minor, patch, ...preRelease];
  if (numbers.some((part) => part === undefined || (typeof part === 'bigint' && part > MAX_NUMBER))) return undefined;
  return { major, minor, patch, preRelease: preRelease as PreReleasePart[] };
}

/**
 * Like `parseSemanticVersion`, but also accepts a leading `v`, surrounding spaces, leading zeros, and missing minor or patch (blang/semver
 * ParseTolerant).
 */
export function parseTolerantVersion(text: string): SemanticVersion | undefined {
  const [major = '', minor, ...patch] = text.trim().replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(patch.length === 0 ? [] : [patch.join('.')])].map(trimZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return undefined;
  while (parts.length < 3) parts.push('0');
  return parseSemanticVersion(parts.join('.'));
}

/** Negative if `a` is older, positive if `a` is newer, 0 otherwise. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  return (
    compareParts(a.major, b.major) ||
    compareParts(a.minor, b.minor) ||
    compareParts(a.patch, b.patch) ||
    comparePreReleases(a.preRelease, b.preRelease)
  );
}

/** A pre-release precedes its release, and a shorter one precedes a longer one that starts like it. */
function comparePreReleases(a: readonly PreReleasePart[], b: readonly PreReleasePart[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [at, part] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareParts(a: PreReleasePart, b: PreReleasePart): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Undefined for a number with leading zeros. */
function preReleasePart(text: string): PreReleasePart | undefined {
  if (!/^[0-9]+$/.test(text)) return text;
  return text.length > 1 && text.startsWith('0') ? undefined : BigInt(text);
}

function trimZeros(part: string): string {
  if (part.length < 2) return part;
  const trimmed = part.replace(/^0+/, '');
  return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
}
