import { quote } from '../../go/go-string.js';
import {
  type LeafMergeType,
  type ListMergeType,
  type MergeType,
  type StructMergeType,
  ListItemError,
  listItemElement,
} from './merge-type.js';
import { type PathElement, fieldElement, renderPathElement } from '../fieldpath/path-element.js';
import { isObject } from '../../schema/is-object.js';

/** One error in an applied configuration: where, as `.spec.foo`, and why. */
export interface ConfigurationError {
  readonly path: string;
  readonly message: string;
}

/**
 * Validates an applied configuration against the type (structured-merge-diff typed/validate.go): fields must be known, values of the right
 * shape, and items of sets and keyed lists unique. null is allowed anywhere. Of several unknown fields in one map, the first is reported.
 */
export function validateConfiguration(type: StructMergeType, configuration: unknown): ConfigurationError[] {
  return validate(type, configuration);
}

/** An object that upstream cannot type. The text says where and why. */
export class UntypedObjectError extends Error {
  override readonly name = 'UntypedObjectError';
}

/** Throws UntypedObjectError for items without an identity, and for repeated ones unless the object `mayRepeat` them. */
export function checkTyped(type: StructMergeType, value: unknown, mayRepeat: boolean): void {
  const errors = validate(type, value).filter(({ message }) => !mayRepeat || !message.startsWith(REPEATED));
  if (errors.length > 0) throw new UntypedObjectError(configurationErrorText(errors));
}

const REPEATED = 'duplicate entries for key ';

/** Number of errors shown; the search stops there. */
const MAX_ERRORS = 100;

/** Formats errors as upstream's single text, up to the limit. */
export function configurationErrorText(errors: readonly ConfigurationError[]): string {
  const texts = errors.slice(0, MAX_ERRORS).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return texts.length === 1 ? (texts[0] ?? '') : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

function validate(type: MergeType, value: unknown): ConfigurationError[] {
  if (value === null || value === undefined) return [];
  switch (type.kind) {
    case 'leaf':
      return validateLeaf(type, value);
    case 'struct':
      return isObject(value) ? validateStruct(type, value) : wrongShape('map', value);
    case 'map':
      return isObject(value)
        ? Object.entries(value)
            .flatMap(([key, item]) => within(fieldElement(key), type.values, item))
            .slice(0, MAX_ERRORS)
        : wrongShape('map', value);
    case 'list':
      return Array.isArray(value) ? validateList(type, value) : wrongShape('list', value);
  }
}

function validateStruct(type: StructMergeType, value: Record<string, unknown>): ConfigurationError[] {
  const errors: ConfigurationError[] = [];
  for (const [key, item] of Object.entries(value)) {
    const field = type.byName.get(key);
    if (field !== undefined) {
      errors.push(...within(field.element, field.type, item));
    } else if (!type.untracked.has(key)) {
      errors.push({ path: `.${key}`, message: 'field not declared in schema' });
      break;
    }
  }
  return errors;
}

function validateList(type: ListMergeType, items: readonly unknown[]): ConfigurationError[] {
  const errors: ConfigurationError[] = [];
  const seen = new Set<PathElement>();
  for (const [at, item] of items.entries()) {
    if (errors.length >= MAX_ERRORS) break;
    if (type.semantics === 'atomic') {
      errors.push(...within(`i:${at}`, type.items, item));
      continue;
    }
    const element = elementOrError(type, item);
    if (element instanceof ListItemError) return [...errors, { path: '', message: `element ${at}: ${element.message}` }];
    if (seen.has(element)) errors.push({ path: '', message: `${REPEATED}${renderPathElement(element)}` });
    seen.add(element);
    errors.push(...within(element, type.items, item));
  }
  return errors;
}

function elementOrError(type: ListMergeType, item: unknown): PathElement | ListItemError {
  try {
    return listItemElement(type, item);
  } catch (error) {
    if (error instanceof ListItemError) return error;
    throw error;
  }
}

function within(element: PathElement, type: MergeType, value: unknown): ConfigurationError[] {
  return validate(type, value).map(({ path, message }) => ({ path: `${renderPathElement(element)}${path}`, message }));
}

function validateLeaf(type: LeafMergeType, value: unknown): ConfigurationError[] {
  switch (type.scalar) {
    case 'raw':
      return [];
    case 'numeric':
      return typeof value === 'number' ? [] : [{ path: '', message: `expected numeric (int or float), got ${goTypeName(value)}` }];
    case 'untyped':
      return typeof value === 'object' ? wrongShape('any scalar', value) : [];
    case 'string':
    case 'boolean':
      return typeof value === type.scalar ? [] : wrongShape(type.scalar, value);
  }
}

function wrongShape(expected: string, value: unknown): ConfigurationError[] {
  return [{ path: '', message: `expected ${expected}, got ${renderValue(value)}` }];
}

/** Formats a value so that the client recognizes it; upstream shows Go internals. */
function renderValue(value: unknown): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'list' : 'map';
  return typeof value === 'string' ? quote(value.slice(0, 100)) : JSON.stringify(value);
}

function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
