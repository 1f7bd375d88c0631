import { longerThan, FINE, regexMessage, tooLongMessage } from './messages.js';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
// Spelled without nested repetition of optional parts, so that no text takes more than linear time.
// eslint-disable-next-line security/detect-unsafe-regex -- anchored, and nothing is repeated around the repetition
const IS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
// eslint-disable-next-line security/detect-unsafe-regex -- a hyphen or dot begins each repetition
const IS_SUBDOMAIN = /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/;

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

const NOT_A_LABEL = regexMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
);
const NOT_A_SUBDOMAIN = regexMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  'example.com',
);

/**
 * The rules for DNS subdomains that a name violates. Upstream has two versions with different texts for the length: `characters` for names
 * (pkg/util/validation), `bytes` in label keys (pkg/api/validate/content).
 */
export function validateDnsSubdomain(name: string, unit: 'bytes' | 'characters' = 'characters'): readonly string[] {
  const long = longerThan(name, MAX_SUBDOMAIN);
  const wellFormed = IS_SUBDOMAIN.test(name);
  if (wellFormed && !long) return FINE;
  return [...(long ? [tooLongMessage(MAX_SUBDOMAIN, unit)] : []), ...(wellFormed ? [] : [NOT_A_SUBDOMAIN])];
}

/** The rules for DNS labels that a name violates. */
export function validateDnsLabel(name: string): readonly string[] {
  const long = longerThan(name, MAX_LABEL);
  const wellFormed = IS_LABEL.test(name);
  if (wellFormed && !long) return FINE;
  const form = IS_SUBDOMAIN.test(name) ? 'must not contain dots' : NOT_A_LABEL;
  return [...(long ? [tooLongMessage(MAX_LABEL, 'characters')] : []), ...(wellFormed ? [] : [form])];
}
