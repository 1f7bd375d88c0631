import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import {
  type ResourceVersionDefinition,
  type Strategy,
  ageColumn,
  defineResource,
  nameColumn,
} from '../../../registry/resource/resource-definition.js';
import { storeOf } from '../../../registry/store-of.js';
import { validateCoreMetadata, validateFinalizers } from '../core-metadata.validation.js';
import { type ServiceAccount, serviceAccountV1Schema } from './service-account.schema.js';

/** ServiceAccount in core v1: the hub's own shape. */
export const serviceAccountV1: ResourceVersionDefinition<ServiceAccount> = { name: 'v1', schema: serviceAccountV1Schema };

/** The strategy of service accounts (kubernetes pkg/registry/core/serviceaccount). */
const serviceAccountStrategy: Strategy<ServiceAccount> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  validate: validateServiceAccount,
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateServiceAccount(next)],
};

/** Service accounts are the users of programs: a user who may create an account's `token` can act as the account. */
const serviceAccountDefinition = defineResource<ServiceAccount>({
  group: '',
  kind: 'ServiceAccount',
  namespaced: true,
  shortNames: ['sa'],
  versions: [serviceAccountV1],
  strategy: serviceAccountStrategy,
  returnsDeleted: true,
  columns: [nameColumn, ageColumn],
});

function validateServiceAccount({ metadata }: ServiceAccount): FieldError[] {
  return validateCoreMetadata(metadata, { namespaced: true, validateName: nameIsDnsSubdomain });
}

/** Reduces references to secrets to their names, and drops empty lists, as upstream's protobuf does. */
function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  if (account.secrets?.length === 0) delete account.secrets;
  if (account.imagePullSecrets?.length === 0) delete account.imagePullSecrets;
}

export class ServiceAccountStore extends storeOf(serviceAccountDefinition) {}
