import type { FieldError } from '../errors/field-error.js';
import { invalid, TypedString } from '../errors/field-error.js';
import type { OwnerReference } from '../meta/object-meta.schema.js';

/** Adds the errors of owner references; paths have no index (apimachinery pkg/api/validation ValidateOwnerReferences). */
export function checkOwnerReferences(references: readonly OwnerReference[], path: string, errors: FieldError[]): void {
  let controller = '';
  for (const reference of references) {
    checkOwnerReference(reference, path, errors);
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else errors.push(invalid(path, references.map(wireOrder), twoControllers(controller, name)));
  }
}

function checkOwnerReference(reference: OwnerReference, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, name, uid } = reference;
  const { group, version } = parseGroupVersion(apiVersion);
  if (version === '') errors.push(invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalid(`${path}.kind`, kind, 'must not be empty'));
  if (name === '') errors.push(invalid(`${path}.name`, name, 'must not be empty'));
  if (uid === '') errors.push(invalid(`${path}.uid`, new TypedString(uid), 'must not be empty'));
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
