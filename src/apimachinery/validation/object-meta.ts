import { type FieldError, TypedString, forbidden, invalid, required, tooLong } from '../errors/field-error.js';
import { isPrintable, quote } from '../go/go-string.js';
import { ZERO_TIME } from '../go/go-time.js';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../meta/object-meta.schema.js';
import { type NameValidator, longerThan, nameIsDnsLabel, validateLabelValue, validateQualifiedName } from './names.js';

/** The resource-specific parts of metadata validation. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** The rule for names: the resource's own, or `isPathSegmentName` in the check that all resources share. */
  readonly validateName: NameValidator;
  /** Default: `metadata`. */
  readonly path?: string;
}

/**
 * Returns the errors in an object's metadata, after name generation, in upstream's order (apimachinery pkg/api/validation
 * ValidateObjectMeta).
 *
 * On create, it runs with the resource's rule, followed by the resource's own validation, and only if there are no errors with
 * `isPathSegmentName`. On update, it runs with `isPathSegmentName`, then `validateObjectMetaUpdate` runs, and then what the resource's own
 * update validation repeats: `validateObjectMetaUpdate` for Leases, both for Namespaces.
 */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): readonly FieldError[] {
  const { path = 'metadata' } = rules;
  const errors: FieldError[] = [];
  checkNames(meta, rules, path, errors);
  checkNamespace(meta.namespace ?? '', rules.namespaced, `${path}.namespace`, errors);
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.push(invalid(`${path}.generation`, meta.generation, 'must be greater than or equal to 0'));
  }
  if (meta.labels) checkLabels(meta.labels, `${path}.labels`, errors);
  if (meta.annotations) checkAnnotations(meta.annotations, `${path}.annotations`, errors);
  if (meta.ownerReferences) checkOwnerReferences(meta.ownerReferences, `${path}.ownerReferences`, errors);
  if (meta.finalizers) checkFinalizers(meta.finalizers, `${path}.finalizers`, errors);
  if (meta.managedFields) checkManagedFields(meta.managedFields, `${path}.managedFields`, errors);
  return errors;
}

function checkNames({ name, generateName }: ObjectMeta, { validateName }: ObjectMetaRules, path: string, errors: FieldError[]): void {
  if (generateName) {
    for (const message of validateName(generateName, true)) errors.push(invalid(`${path}.generateName`, generateName, message));
  }
  if (!name) errors.push(required(`${path}.name`, 'name or generateName is required'));
  else for (const message of validateName(name, false)) errors.push(invalid(`${path}.name`, name, message));
}

function checkNamespace(namespace: string, namespaced: boolean, path: string, errors: FieldError[]): void {
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(path, 'not allowed on this type'));
  } else if (namespace === '') {
    errors.push(required(path));
  } else {
    for (const message of nameIsDnsLabel(namespace, false)) errors.push(invalid(path, namespace, message));
  }
}

const IMMUTABLE = 'field is immutable';

/**
 * The errors of changes to metadata that an update must not make, in upstream's order (apimachinery pkg/api/validation
 * ValidateObjectMetaUpdate).
 */
export function validateObjectMetaUpdate(next: ObjectMeta, old: ObjectMeta, path = 'metadata'): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    checkNoNewFinalizers(next.finalizers ?? [], old.finalizers ?? [], `${path}.finalizers`, errors);
  }
  if (!next.resourceVersion) errors.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'));
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(`${path}.generation`, next.generation ?? 0, 'must not be decremented'));
  }
  checkImmutable(next, old, path, errors);
  if (next.labels) checkLabels(next.labels, `${path}.labels`, errors);
  if (next.annotations) checkAnnotations(next.annotations, `${path}.annotations`, errors);
  if (next.ownerReferences) checkOwnerReferences(next.ownerReferences, `${path}.ownerReferences`, errors);
  if (next.managedFields) checkManagedFields(next.managedFields, `${path}.managedFields`, errors);
  return errors;
}

function checkImmutable(next: ObjectMeta, old: ObjectMeta, path: string, errors: FieldError[]): void {
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const value = next[field] ?? '';
    if (value === (old[field] ?? '')) continue;
    errors.push(invalid(`${path}.${field}`, field === 'uid' ? new TypedString(value) : value, IMMUTABLE));
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    // An error shows Go's zero time as it would be written.
    const shown = next[field] === ZERO_TIME ? null : next[field];
    if (next[field] !== old[field]) errors.push(invalid(`${path}.${field}`, shown, IMMUTABLE));
  }
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Adds the errors of finalizer names. */
function checkFinalizers(finalizers: readonly string[], path: string, errors: FieldError[]): void {
  for (const finalizer of finalizers) {
    for (const message of validateQualifiedName(finalizer)) errors.push(invalid(path, finalizer, message));
  }
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(invalid(path, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
}

/** Adds an error if finalizers are added to an object that is being deleted. */
function checkNoNewFinalizers(next: readonly string[], old: readonly string[], path: string, errors: FieldError[]): void {
  const added = [...new Set(next)].filter((finalizer) => !old.includes(finalizer)).sort();
  if (added.length === 0) return;
  const shown = `[]string{${added.map(quote).join(', ')}}`;
  errors.push(forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`));
}

/** Adds the errors of owner references (apimachinery pkg/api/validation ValidateOwnerReferences). */
function checkOwnerReferences(references: readonly OwnerReference[], path: string, errors: FieldError[]): void {
  let controller = '';
  for (const [index, reference] of references.entries()) {
    checkOwnerReference(reference, `${path}[${index}]`, errors);
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else errors.push(invalid(path, references.map(wireOrder), twoControllers(controller, name)));
  }
}

function checkOwnerReference(reference: OwnerReference, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, name, uid } = reference;
  const { group, version } = parseGroupVersion(apiVersion);
  if (apiVersion !== '' && version === '') {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, 'must be <group>/<version> or <version>'));
  }
  for (const [field, value] of Object.entries({ apiVersion, kind, name, uid })) {
    if (value === '') errors.push(required(`${path}.${field}`, 'must not be empty'));
  }
  if (group === '' && version === 'v1' && kind === 'Event') {
    errors.push(invalid(path, wireOrder(reference), '/v1, Kind=Event is disallowed from being an owner'));
  }
}

/** The group and version of an unparsable text are empty. */
function parseGroupVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) return { group: '', version: '' };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

const twoControllers = (first: string, second: string) =>
  `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;

function wireOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

const MAX_SUBRESOURCE_BYTES = 256;

/** Adds the errors of managedFields entries (apimachinery pkg/apis/meta/v1/validation ValidateManagedFields). */
function checkManagedFields(entries: readonly ManagedFieldsEntry[], path: string, errors: FieldError[]): void {
  for (const [index, entry] of entries.entries()) {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const at = `${path}[${index}]`;
    if (operation !== 'Update' && operation !== 'Apply') {
      errors.push(invalid(`${at}.operation`, new TypedString(operation), 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') errors.push(invalid(`${at}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    checkFieldManagerName(manager, `${at}.manager`, errors);
    if (longerThan(subresource, MAX_SUBRESOURCE_BYTES)) errors.push(tooLong(`${at}.subresource`, MAX_SUBRESOURCE_BYTES));
  }
}

const MAX_BYTES = 128;
/** Of a longer name, which is refused anyway, the characters at the beginning are looked at. */
const MAX_CHECKED = 4096;
const PLAIN = /^[ -~]*$/;

/** Adds the errors of a field manager's name: at most 128 bytes, printable characters only. */
export function checkFieldManagerName(name: string, path: string, errors: FieldError[]): void {
  if (longerThan(name, MAX_BYTES)) errors.push(tooLong(path, MAX_BYTES));
  if (PLAIN.test(name)) return;
  let position = 0;
  for (const char of name.slice(0, MAX_CHECKED).toWellFormed()) {
    if (!isPrintable(char)) errors.push(invalid(path, name, `invalid character ${codePoint(char)} (at position ${position})`));
    position += Buffer.byteLength(char);
  }
}

/** Formats an unprintable rune like Go's `%#U`. */
function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

type Texts = Readonly<Record<string, string>>;

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Adds the errors of labels. The path does not contain the key. Upstream's order is that of a Go map, which is random. */
export function checkLabels(labels: Texts, path: string, errors: FieldError[]): void {
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const message of validateQualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of validateLabelValue(value)) errors.push(invalid(path, value, message));
  }
}

/** Adds the errors of annotations: keys follow the rules of label keys, ignoring case, and their total size is limited. */
function checkAnnotations(annotations: Texts, path: string, errors: FieldError[]): void {
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
}
