import { type Json, NASTY_KEYS, nastyText, nastyValue, ownKeys } from './nasty-values.js';
import type { Random } from './random.js';

/** A copy with one place changed: removed, replaced, renamed, duplicated, wrapped or enlarged. */
export function mutateJson(value: Json, random: Random): Json {
  // Descends with some probability at each level, so that deep places are reached.
  if (isBranch(value) && sizeOf(value) > 0 && random.chance(0.8)) return mutateInside(value, random);
  return mutateHere(value, random);
}

const isBranch = (value: Json): value is Json[] | { [key: string]: Json } => typeof value === 'object' && value !== null;
const sizeOf = (value: Json[] | { [key: string]: Json }): number => Object.keys(value).length;

function mutateInside(value: Json[] | { [key: string]: Json }, random: Random): Json {
  if (Array.isArray(value)) return mutateArray(value, random);
  const entries = Object.entries(value);
  const at = random.below(entries.length);
  const [key, item] = entries[at] ?? ['', null];
  switch (random.below(8)) {
    case 0:
      return ownKeys(entries.filter((_, index) => index !== at));
    case 1:
      return ownKeys([...entries, [random.pick(NASTY_KEYS), nastyValue(random)]]);
    case 2:
      return ownKeys(entries.map(([name, one], index) => [index === at ? nastyText(random) : name, one]));
    default:
      return ownKeys(entries.map(([name, one]) => [name, name === key ? mutateJson(item, random) : one]));
  }
}

function mutateArray(items: Json[], random: Random): Json {
  const at = random.below(items.length);
  const item = items[at] ?? null;
  switch (random.below(6)) {
    case 0:
      return items.filter((_, index) => index !== at);
    case 1:
      return [...items, ...Array.from({ length: 1 + random.size(200) }, () => item)];
    case 2:
      return [...items.slice(0, at), nastyValue(random), ...items.slice(at)];
    case 3:
      return items.toReversed();
    default:
      return items.map((one, index) => (index === at ? mutateJson(one, random) : one));
  }
}

function mutateHere(value: Json, random: Random): Json {
  switch (random.below(6)) {
    case 0:
      return [value];
    case 1:
      return { [random.pick(NASTY_KEYS)]: value };
    case 2:
      return typeof value === 'string' ? value + nastyText(random) : JSON.stringify(value).slice(0, 1000);
    case 3:
      return typeof value === 'number' ? value * random.pick([-1, 2, 1e10, 0.1]) : nastyText(random);
    default:
      return nastyValue(random);
  }
}
