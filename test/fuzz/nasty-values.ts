import type { Random } from './random.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Keys that JavaScript, YAML, JSON patches or field sets might misinterpret. */
export const NASTY_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'toJSON',
  'then',
  '0',
  '-1',
  '-',
  '',
  '.',
  '..',
  '/',
  '~',
  '~0',
  '~1',
  '~2',
  'a/b',
  'f:',
  'f:__proto__',
  'f:constructor',
  'k:{"uid":"__proto__"}',
  'k:{"uid":',
  'v:"__proto__"',
  'i:0',
  'i:-1',
  '$patch',
  '$retainKeys',
  '$setElementOrder/finalizers',
  '$setElementOrder/ownerReferences',
  '$deleteFromPrimitiveList/finalizers',
  '<<',
  '!!str',
  '\u0000',
  '\ud800',
  'ключ',
  'k8s.io/a',
];

export const NASTY_TEXTS: readonly string[] = [
  ...NASTY_KEYS,
  ' ',
  '\n',
  '\r\nX-Injected: 1',
  '%0d%0aX-Injected:%201',
  '\u2028',
  '\ufeff',
  '😀',
  'e\u0301',
  '\u001b[31m',
  '${jndi:ldap://x}',
  "'; drop table objects; --",
  '1e400',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '0x7fffffffffffffff',
  '٣',
  'NaN',
  'null',
  'true',
  '2024-02-30T00:00:00Z',
  '2024-01-01T00:00:00.123456Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:60.999999999Z',
  '10000-01-01T00:00:00Z',
  '2024-01-01T00:00:00.000000+99:99',
  'a'.repeat(63),
  'a'.repeat(64),
  'a'.repeat(253),
  'a'.repeat(254),
  'a.'.repeat(127) + 'a',
  '-'.repeat(300),
  'a'.repeat(70_000),
  'OldestEmulationVersion',
  'coordination.k8s.io/v1',
  'example.com/Strategy',
  '1.36.0',
  '1.36.0-alpha.1+build',
  '99999999999999999999.0.0',
];

export const NASTY_NUMBERS: readonly number[] = [
  0, -0, 1, -1, 0.5, 1e-7, 1e21, 1.7976931348623157e308, 5e-324, 2147483647, 2147483648, -2147483649, 9007199254740991, 9007199254740992,
  -9007199254740992,
];

/** The text with lone surrogates replaced, so that it can be escaped for a URL. */
export function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

export function nastyText(random: Random): string {
  if (random.chance(0.85)) return random.pick(NASTY_TEXTS);
  return String.fromCharCode(...Array.from({ length: random.size(64) }, () => random.below(random.chance(0.7) ? 128 : 65_536)));
}

export function nastyValue(random: Random, depth = 0): Json {
  switch (random.below(depth > 3 ? 4 : 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NASTY_NUMBERS);
    case 3:
      return nastyText(random);
    case 4:
      return Array.from({ length: random.size(40) }, () => nastyValue(random, depth + 1));
    case 5:
      if (depth === 0 && random.chance(0.01)) return wide(random);
      return nested(random, random.size(400));
    default:
      return nastyObject(random, depth);
  }
}

function nastyObject(random: Random, depth: number): Json {
  return ownKeys(Array.from({ length: random.size(30) }, () => [random.pick(NASTY_KEYS), nastyValue(random, depth + 1)]));
}

/** An object with only own keys, including `__proto__`. */
export function ownKeys(entries: readonly (readonly [string, Json])[]): { [key: string]: Json } {
  return Object.fromEntries(entries);
}

/** About as many values as a body may have, or many more. */
function wide(random: Random): Json {
  const count = random.pick([9_000, 11_000, 200_000]);
  const member = random.pick<Json>([0, '', {}, []]);
  if (random.chance(0.5)) return Array<Json>(count).fill(member);
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, member]));
}

function nested(random: Random, depth: number): Json {
  let value: Json = random.pick([null, 1, 'x', {}, []]);
  for (let level = 0; level < depth; level += 1) value = random.chance(0.5) ? [value] : { a: value };
  return value;
}
