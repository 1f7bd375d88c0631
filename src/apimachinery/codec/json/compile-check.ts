import type { Field, ScalarKind, SchemaType, StructType } from '../../schema/struct-type.js';
import { isDropped, zeroOf } from '../../schema/canonical-object.js';
import { parseMicroTime, parsePreciseTime, parseTime, TimeParseError } from '../../go/go-time.js';
import { isObject } from '../../schema/is-object.js';

/** Number of members seen so far; compared with the members in the text to detect duplicates. */
export interface MemberCount {
  members: number;
}

/** Marks a value that needs the exact decoder, because Go might convert or reject it. */
export const OFF = Symbol('off the fast path');

/** Checks a value from JSON.parse and makes it canonical in place; returns it, its replacement, or OFF. */
export type Check = (value: unknown, count: MemberCount) => unknown;

type Members = Record<string, unknown>;

const checks = new WeakMap<StructType, Check>();

/** The check for a type; compiled once per type. */
export function compileCheck(type: SchemaType): Check {
  switch (type.kind) {
    case 'scalar':
      return type.precise ? PRECISE_TIME : SCALARS[type.scalar];
    case 'raw':
      return checkRaw;
    case 'list':
      return listCheck(compileCheck(type.items));
    case 'map':
      return mapCheck(compileCheck(type.values));
    case 'struct': {
      let check = checks.get(type);
      if (check === undefined) checks.set(type, (check = structCheck(type)));
      return check;
    }
  }
}

const INT32_MAX = 2 ** 31 - 1;

const SCALARS: Readonly<Record<ScalarKind, Check>> = {
  string: (value) => (typeof value === 'string' ? value : OFF),
  bool: (value) => (typeof value === 'boolean' ? value : OFF),
  int32: (value) => (typeof value === 'number' && value <= INT32_MAX && value >= -INT32_MAX - 1 ? value : OFF),
  int64: (value) => (typeof value === 'number' ? value : OFF),
  time: timeCheck(parseTime),
  microTime: timeCheck(parseMicroTime),
};

const PRECISE_TIME = timeCheck(parsePreciseTime);

function timeCheck(parse: (text: string) => string): Check {
  return (value) => {
    if (typeof value !== 'string') return OFF;
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof TimeParseError) return OFF;
      throw error;
    }
  };
}

/** Counts members at any depth without recursion, because text can be nested deeper than the call stack allows. */
function checkRaw(value: unknown, count: MemberCount): unknown {
  if (typeof value !== 'object') return value;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) {
      for (const key in next) {
        count.members++;
        open.push((next as Members)[key]);
      }
    } else for (const item of next) open.push(item);
  }
  return value;
}

function listCheck(check: Check): Check {
  return (value, count) => {
    if (!Array.isArray(value)) return OFF;
    const items = value as unknown[];
    for (let at = 0; at < items.length; at++) {
      const item = check(items[at], count);
      if (item === OFF) return OFF;
      items[at] = item;
    }
    return items;
  };
}

function mapCheck(check: Check): Check {
  return (value, count) => {
    if (!isObject(value)) return OFF;
    for (const key in value) {
      count.members++;
      const item = check(value[key], count);
      if (item === OFF) return OFF;
      if (item !== value[key]) value[key] = item;
    }
    return value;
  };
}

interface Slot {
  readonly field: Field;
  readonly check: Check;
  readonly droppable: boolean;
}

function structCheck(type: StructType): Check {
  const slots = new Map<string, Slot>();
  for (const field of type.fields) slots.set(field.name, { field, check: compileCheck(field.type), droppable: isDroppable(field) });
  const always = type.fields.filter((field) => zeroOf(field) !== undefined);
  return (value, count) => {
    if (!isObject(value)) return OFF;
    let dropped = false;
    for (const key in value) {
      const slot = slots.get(key);
      if (slot === undefined) return OFF;
      count.members++;
      const member = value[key];
      const checked = member === null ? null : slot.check(member, count);
      if (checked === OFF) return OFF;
      if (checked === null || (slot.droppable && isDropped(slot.field, checked))) {
        value[key] = undefined;
        dropped = true;
      } else if (checked !== member) value[key] = checked;
    }
    for (const field of always) if (value[field.name] === undefined) value[field.name] = zeroOf(field);
    return dropped ? withoutUndefined(value) : value;
  };
}

/** Whether Go may omit the field's zero value: scalars, lists and maps, and times even if they are always written. */
function isDroppable(field: Field): boolean {
  if (field.presence === 'optional' || field.type.kind === 'struct' || field.type.kind === 'raw') return false;
  return field.presence === 'omitEmpty' || field.type.kind === 'scalar';
}

function withoutUndefined(object: Members): Members {
  const kept: Members = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept;
}
