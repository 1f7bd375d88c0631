import { longerThan } from './longer-than.js';
import { FINE, regexMessage, tooLongMessage } from './messages.js';

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

/** The rules for keys of a ConfigMap that a text breaks. */
export function validateConfigMapKey(text: string): readonly string[] {
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
