import { validateDnsLabel, validateDnsSubdomain } from './dns-names.js';
import { longerThan, FINE, regexMessage, tooLongMessage } from './messages.js';

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

const KEY = '[-._a-zA-Z0-9]+';
const IS_KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_LENGTH = 253;
const NOT_A_KEY = regexMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** The rules for keys of a ConfigMap that a text violates. */
function validateConfigMapKey(text: string): readonly string[] {
  const long = longerThan(text, MAX_LENGTH);
  const wellFormed = IS_KEY.test(text);
  const parent = text === '.' || text.startsWith('..');
  if (wellFormed && !long && !parent) return FINE;
  return [
    ...(long ? [tooLongMessage(MAX_LENGTH, 'characters')] : []),
    ...(wellFormed ? [] : [NOT_A_KEY]),
    ...(parent ? [parentMessage(text)] : []),
  ];
}

function parentMessage(text: string): string {
  return text === '.' || text === '..' ? `must not be '${text}'` : "must not start with '..'";
}
