import { type FieldError, invalid, required } from '../errors/field-error.js';
import type { OwnerReference } from '../meta/object-meta.schema.js';

/** Adds the errors of owner references (apimachinery pkg/api/validation ValidateOwnerReferences). */
export function checkOwnerReferences(references: readonly OwnerReference[], path: string, errors: FieldError[]): void {
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
