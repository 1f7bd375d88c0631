import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import type { Strategy } from '../../../registry/strategy.js';
import type { ServiceAccount } from './service-account.js';

/** The life of service accounts (kubernetes pkg/registry/core/serviceaccount). */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  validate: () => [],
  validateUpdate: ({ metadata }) => [...validateObjectMeta(metadata, { namespaced: true, validateName: nameIsDnsSubdomain })],
};

/** A reference to a secret is its name; and lists without items are stored as none, as upstream's protobuf has it. */
function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  if (account.secrets?.length === 0) delete account.secrets;
  if (account.imagePullSecrets?.length === 0) delete account.imagePullSecrets;
}
