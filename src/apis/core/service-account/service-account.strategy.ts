import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { validateCoreMetadata, validateFinalizers } from '../core-metadata.validation.js';
import type { ServiceAccount } from './service-account.schema.js';

/** The strategy of service accounts (kubernetes pkg/registry/core/serviceaccount). */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  validate: validateServiceAccount,
  validateUpdate: (next) => [...validateFinalizers(next.metadata), ...validateServiceAccount(next)],
};

function validateServiceAccount({ metadata }: ServiceAccount): FieldError[] {
  return validateCoreMetadata(metadata, { namespaced: true, validateName: nameIsDnsSubdomain });
}

/** Reduces references to secrets to their names, and drops empty lists, as upstream's protobuf does. */
function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  if (account.secrets?.length === 0) delete account.secrets;
  if (account.imagePullSecrets?.length === 0) delete account.imagePullSecrets;
}
