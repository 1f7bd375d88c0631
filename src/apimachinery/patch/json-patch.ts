import { decodeText } from '../codec/json/json-decoder.js';
import { endOfString } from '../codec/json/json-reader.js';
import { syntaxError } from '../codec/json/json-syntax.js';
import { hasTooManyValues, tooManyValues } from '../codec/limits/body-limits.js';
import { badRequest } from '../errors/status-errors.js';
import { escapeHtml } from '../go/go-string.js';
import { type JsonPatchOperation, type Lazy, LazyJson, equalJson } from './json-patch-document.js';
import { patchDoesNotApply } from './patch-errors.js';

const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** An operation that cannot be carried out; the client only learns that there was one. */
class DoesNotApply extends Error {}

/**
 * Applies the operations of a JSON patch in order, with the leniencies of evanphx/json-patch v4 on which clients may rely: text before the
 * first slash of a path is ignored, `replace` may name a missing key, `copy` of a missing key and a missing `value` write null, and indexes
 * may be negative or have a sign or leading zeros. `document` is the JSON of an object; returns the JSON of the result. Throws the 422.
 */
export function applyJsonPatch(document: string, operations: readonly JsonPatchOperation[]): string {
  try {
    return new Patcher(document).apply(operations);
  } catch (error) {
    if (error instanceof DoesNotApply) throw patchDoesNotApply(error);
    throw error;
  }
}

/** An operation's target: a key in an object or an index text in an array. */
interface Target {
  readonly container: LazyJson;
  readonly key: string;
}

class Patcher {
  #root: LazyJson;
  #copied = 0;

  constructor(document: string) {
    const root = LazyJson.of(document);
    if (root === null) throw new DoesNotApply('the document is null');
    this.#root = root;
  }

  apply(operations: readonly JsonPatchOperation[]): string {
    for (const operation of operations) this.#apply(operation);
    return this.#root.toString();
  }

  #apply(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case 'add':
        return add(this.#find(operation.path), ownValue(operation));
      case 'remove':
        return void remove(this.#find(operation.path));
      case 'replace':
        return this.#replace(operation);
      case 'move':
        return this.#move(operation);
      case 'copy':
        return this.#copy(operation);
      case 'test':
        return this.#test(operation);
      case undefined:
      default:
        throw new DoesNotApply(`Unexpected kind: ${operation.op ?? 'unknown'}`);
    }
  }

  #replace(operation: JsonPatchOperation): void {
    const value = ownValue(operation);
    if (operation.path !== '') return replace(this.#find(operation.path), value);
    if (value === null || value.kind === 'scalar') throw new DoesNotApply('replace operation value must be object or array');
    this.#root = value;
  }

  #move({ from, path }: JsonPatchOperation): void {
    const value = remove(this.#find(from));
    add(this.#find(path), value);
  }

  #copy({ from, path }: JsonPatchOperation): void {
    const value = get(this.#find(from));
    const target = this.#find(path);
    const copy = value?.copy() ?? null;
    if (copy) this.#copied += Buffer.byteLength(escapeHtml(compact(copy.toString())));
    if (this.#copied > MAX_COPIED_BYTES) throw new DoesNotApply(`copied ${this.#copied} bytes`);
    add(target, copy);
  }

  /** A missing `value` equals a missing member and null. */
  #test(operation: JsonPatchOperation): void {
    const found = operation.path === '' ? this.#root : get(this.#find(operation.path));
    if (!equalJson(found, operation.value ?? null)) throw new DoesNotApply('test failed');
  }

  /** Resolves a path; everything except its last key must exist. */
  #find(path: string | undefined): Target {
    const [, ...keys] = (path ?? '').split('/').map(decodeKey);
    const key = keys.pop();
    if (key === undefined || keys.length > MAX_DEPTH) throw new DoesNotApply(`doc is missing path: ${path}`);
    let container: Lazy = this.#root;
    for (const part of keys) {
      container = get({ container, key: part });
      if (container === null) throw new DoesNotApply(`doc is missing path: ${path}`);
    }
    if (container.kind === 'scalar') throw new DoesNotApply(`doc is missing path: ${path}`);
    return { container, key };
  }
}

function decodeKey(text: string): string {
  return text.includes('~') ? text.replaceAll('~1', '/').replaceAll('~0', '~') : text;
}

/** Returns a copy of the value, because a patch may be applied again and must not change with the document. */
function ownValue({ value }: JsonPatchOperation): Lazy {
  return value?.copy() ?? null;
}

/** A missing key gives null; a missing index is an error. */
function get({ container, key }: Target): Lazy {
  if (container.members) return container.members.get(key) ?? null;
  const items = itemsOf(container);
  return items[indexIn(items.length, key, items.length - 1)] ?? null;
}

function add({ container, key }: Target, value: Lazy): void {
  if (container.members) {
    container.members.set(key, value);
    return;
  }
  const items = itemsOf(container);
  if (key === '-') items.push(value);
  else items.splice(indexIn(items.length + 1, key, items.length), 0, value);
}

function replace({ container, key }: Target, value: Lazy): void {
  if (container.members) {
    container.members.set(key, value);
    return;
  }
  const items = itemsOf(container);
  items[indexIn(items.length, key, items.length - 1)] = value;
}

function remove({ container, key }: Target): Lazy {
  if (container.members) {
    const value = container.members.get(key);
    if (value === undefined) throw new DoesNotApply(`Unable to remove nonexistent key: ${key}`);
    container.members.delete(key);
    return value;
  }
  const items = itemsOf(container);
  return items.splice(indexIn(items.length, key, items.length - 1), 1)[0] ?? null;
}

function itemsOf(container: LazyJson): Lazy[] {
  if (container.items) return container.items;
  throw new DoesNotApply('not a container');
}

/** Parses an index like Go's strconv.Atoi; negative ones count from `length`. */
function indexIn(length: number, key: string, highest: number): number {
  const index = /^[+-]?[0-9]{1,15}$/.test(key) ? Number(key) : NaN;
  const found = index < 0 ? index + length : index;
  if (found >= 0 && found <= highest) return found;
  throw new DoesNotApply(`Unable to access invalid index: ${key}`);
}

/** Removes white space between the tokens of a JSON text. */
function compact(json: string): string {
  // eslint-disable-next-line security/detect-unsafe-regex -- a backslash begins each repetition, and the text is valid JSON
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+/g, '$1');
}

/** Objects have only a few levels; the limit protects the stack from deeply nested bodies. */
const MAX_DEPTH = 1000;

/**
 * The body of a patch as JSON text. Throws the 400 of a body that is not, or that has more values than allowed, which is found before the
 * object is looked for.
 */
export function patchText(body: Buffer, maxValues: number): string {
  const text = syntaxError(body) === undefined ? decodeText(body) : undefined;
  if (text === undefined || isTooDeep(text)) throw badRequest('invalid JSON patch');
  if (hasTooManyValues(body, maxValues)) throw badRequest(tooManyValues(maxValues).message);
  return text;
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}
