/**
 * Checks an object's name; returns the messages of all violated rules, or none. With `prefix`, the name is a generateName, to which a
 * suffix will be appended (apimachinery pkg/api/validation NameIsDNSSubdomain and similar functions).
 */
export type NameValidator = (name: string, prefix: boolean) => readonly string[];

/** A `NameValidator` for names that are DNS subdomains, as most are. */
export function nameIsDnsSubdomain(name: string, prefix: boolean): readonly string[] {
  return validateDnsSubdomain(prefix ? maskTrailingDash(name) : name);
}

/** A `NameValidator` for names that are DNS labels, such as those of namespaces. */
export function nameIsDnsLabel(name: string, prefix: boolean): readonly string[] {
  return validateDnsLabel(prefix ? maskTrailingDash(name) : name);
}

/** A `NameValidator` for LeaseCandidates: upper case and `_` are allowed, and there are no separate rules for a prefix. */
export function nameIsConfigMapKey(name: string): readonly string[] {
  return validateConfigMapKey(name);
}

/** Upstream removes the last two bytes instead of one before it appends a letter (pkg/api/validation/generic.go). */
function maskTrailingDash(name: string): string {
  return name.endsWith('-') ? name.replace(/\p{ASCII}-$/u, 'a') : name;
}

const PATH_KEY = '[-._a-zA-Z0-9]+';
const IS_PATH_KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_NAME_LENGTH = 253;
const NOT_A_PATH_KEY = regexMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  PATH_KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** The rules for keys of a ConfigMap that a text violates. */
function validateConfigMapKey(text: string): readonly string[] {
  const long = longerThan(text, MAX_NAME_LENGTH);
  const wellFormed = IS_PATH_KEY.test(text);
  const parent = text === '.' || text.startsWith('..');
  if (wellFormed && !long && !parent) return FINE;
  return [
    ...(long ? [tooLongMessage(MAX_NAME_LENGTH, 'characters')] : []),
    ...(wellFormed ? [] : [NOT_A_PATH_KEY]),
    ...(parent ? [parentMessage(text)] : []),
  ];
}

function parentMessage(text: string): string {
  return text === '.' || text === '..' ? `must not be '${text}'` : "must not start with '..'";
}

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

const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
// eslint-disable-next-line security/detect-unsafe-regex -- anchored, and nothing is repeated around the repetition
const IS_LABEL_KEY = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const MAX_LABEL_LENGTH = 63;

const NOT_A_LABEL_KEY = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_KEY,
  'MyName',
  'my.name',
  '123-abc',
);
const TOO_MANY_PARTS = `a valid label key ${NOT_A_LABEL_KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const NOT_A_VALUE = regexMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${LABEL_KEY})?`,
  'MyValue',
  'my_value',
  '12345',
);

/** The rules that a label key violates; annotation keys and finalizers have the same syntax (content.IsLabelKey). */
export function validateQualifiedName(text: string): readonly string[] {
  const slash = text.indexOf('/');
  if (slash < 0) return namePartMessages(text);
  const name = text.slice(slash + 1);
  if (name.includes('/')) return [TOO_MANY_PARTS];
  const prefix = text.slice(0, slash);
  const ofPrefix = prefix === '' ? ['must be non-empty'] : validateDnsSubdomain(prefix, 'bytes');
  const ofName = namePartMessages(name);
  return ofPrefix.length === 0 ? ofName : [...ofPrefix.map((message) => `prefix part ${message}`), ...ofName];
}

function namePartMessages(name: string): readonly string[] {
  const long = longerThan(name, MAX_LABEL_LENGTH);
  const wellFormed = IS_LABEL_KEY.test(name);
  if (wellFormed && !long) return FINE;
  const messages: string[] = [];
  if (name === '') messages.push('name part must be non-empty');
  else if (long) messages.push(`name part ${tooLongMessage(MAX_LABEL_LENGTH, 'bytes')}`);
  if (!wellFormed) messages.push(`name part ${NOT_A_LABEL_KEY}`);
  return messages;
}

/** The rules that a label value violates. */
export function validateLabelValue(value: string): readonly string[] {
  const long = longerThan(value, MAX_LABEL_LENGTH);
  const wellFormed = value === '' || IS_LABEL_KEY.test(value);
  if (wellFormed && !long) return FINE;
  return [...(long ? [tooLongMessage(MAX_LABEL_LENGTH, 'bytes')] : []), ...(wellFormed ? [] : [NOT_A_VALUE])];
}

/** The result of a check that finds no errors. */
const FINE: readonly string[] = Object.freeze([]);

/** `<rule> (e.g. 'a',  or 'b', regex used for validation is '…')` (apimachinery pkg/util/validation RegexError). */
function regexMessage(rule: string, pattern: string, ...examples: string[]): string {
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** The message for a text over its limit (apimachinery pkg/util/validation MaxLenError). */
function tooLongMessage(limit: number, unit: 'bytes' | 'characters'): string {
  return `must be no more than ${limit} ${unit}`;
}

/** Whether a text has more than `limit` bytes in UTF-8, the unit of limits on names, labels and annotations. */
export function longerThan(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
