import { compareText, isPrintable } from '../../go/go-string.js';
import type { ManagedFieldsEntry } from '../../meta/object-meta.schema.js';
import { type FieldSet, parseFieldsV1, serializeFieldSet } from '../fieldpath/field-set.js';

type ManagerOperation = 'Apply' | 'Update';

/** A decoded entry of metadata.managedFields. Immutable. */
export interface ManagerState {
  readonly manager: string;
  readonly operation: ManagerOperation;
  /** The version of the paths in `set`. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  readonly set: FieldSet;
}

/** All managers of an object, by identity. */
export type Managers = Map<string, ManagerState>;

/** An entry that cannot be decoded. If a client sends one, all of its entries are ignored. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/**
 * The identity of a manager: name, operation and subresource, and for updates the version. Upstream uses this JSON text as a key and
 * sorts by it (apimachinery pkg/util/managedfields/internal/managedfields.go BuildManagerIdentifier).
 */
export function managerIdentity(state: Pick<ManagerState, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  return JSON.stringify({
    manager: state.manager || undefined,
    operation: state.operation,
    apiVersion: state.operation === 'Update' ? state.apiVersion : undefined,
    subresource: state.subresource || undefined,
  });
}

/** Decodes entries; the last of several with the same identity wins. Throws ManagedFieldsError or FieldsV1Error. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | null | undefined): Managers {
  const managers: Managers = new Map();
  for (const [at, entry] of (entries ?? []).entries()) {
    const state = decodeEntry(entry, at);
    managers.set(managerIdentity(state), state);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, at: number): ManagerState {
  const { operation, apiVersion, fieldsType } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (!apiVersion) throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(
      fieldsType ? `invalid fieldsType "${fieldsType}" in managed fields entry ${at}` : `missing fieldsType in managed fields entry ${at}`,
    );
  }
  return {
    manager: entry.manager ?? '',
    operation,
    apiVersion,
    subresource: entry.subresource ?? '',
    ...(entry.time ? { time: entry.time } : {}),
    set: parseFieldsV1(entry.fieldsV1),
  };
}

/** Encodes managers in canonical order; undefined if there are none. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].map(encodeEntry).sort(compareEntries);
}

function encodeEntry(state: ManagerState): ManagedFieldsEntry {
  return {
    ...(state.manager === '' ? {} : { manager: state.manager }),
    operation: state.operation,
    apiVersion: state.apiVersion,
    ...(state.time === undefined ? {} : { time: state.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: serializeFieldSet(state.set),
    ...(state.subresource === '' ? {} : { subresource: state.subresource }),
  };
}

/** The order in metadata.managedFields: operation, time, manager, version, subresource. */
export function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  for (const key of SORT_KEYS) {
    const order = compareText(a[key] ?? '', b[key] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

const SORT_KEYS = ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const;

/** Whether a client resets ownership, by an empty list or a single empty entry. */
export function isReset(entries: readonly ManagedFieldsEntry[] | null | undefined): boolean {
  if (entries === null || entries === undefined) return false;
  if (entries.length > 1) return false;
  return Object.values(entries[0] ?? {}).every((value) => value === undefined || value === null || value === '');
}

const MAX_BYTES = 128;
const PLAIN = /^[ -~]*$/;

/**
 * The manager of a write: the fieldManager parameter, or else the User-Agent up to the first slash, cut to its printable
 * characters and 128 bytes (apiserver pkg/endpoints/handlers/create.go managerOrUserAgent).
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  return (product.length <= MAX_BYTES && PLAIN.test(product) ? product : printablePrefix(product)) || 'unknown';
}

/** Headers may have a million characters that cannot be printed. */
const MAX_CHECKED = 4096;

function printablePrefix(text: string): string {
  let bytes = 0;
  let kept = '';
  for (const char of text.slice(0, MAX_CHECKED)) {
    if (!isPrintable(char)) continue;
    bytes += Buffer.byteLength(char);
    if (bytes > MAX_BYTES) break;
    kept += char;
  }
  return kept;
}
