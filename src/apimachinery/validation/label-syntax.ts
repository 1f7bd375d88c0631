import { validateDnsSubdomain } from './dns-names.js';
import { longerThan, FINE, regexMessage, tooLongMessage } from './messages.js';

const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
// eslint-disable-next-line security/detect-unsafe-regex -- anchored, and nothing is repeated around the repetition
const IS_KEY = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const MAX_LENGTH = 63;

const NOT_A_KEY = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  KEY,
  'MyName',
  'my.name',
  '123-abc',
);
const TOO_MANY_PARTS = `a valid label key ${NOT_A_KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const NOT_A_VALUE = regexMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${KEY})?`,
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
  const long = longerThan(name, MAX_LENGTH);
  const wellFormed = IS_KEY.test(name);
  if (wellFormed && !long) return FINE;
  const messages: string[] = [];
  if (name === '') messages.push('name part must be non-empty');
  else if (long) messages.push(`name part ${tooLongMessage(MAX_LENGTH, 'bytes')}`);
  if (!wellFormed) messages.push(`name part ${NOT_A_KEY}`);
  return messages;
}

/** The rules that a label value violates. */
export function validateLabelValue(value: string): readonly string[] {
  const long = longerThan(value, MAX_LENGTH);
  const wellFormed = value === '' || IS_KEY.test(value);
  if (wellFormed && !long) return FINE;
  return [...(long ? [tooLongMessage(MAX_LENGTH, 'bytes')] : []), ...(wellFormed ? [] : [NOT_A_VALUE])];
}
