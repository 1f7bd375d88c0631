import { ageColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import { type ResourceVersionDefinition, defineResource } from '../../../registry/resource/resource-definition.js';
import { type ServiceAccount, serviceAccountV1Schema } from './service-account.schema.js';
import { serviceAccountStrategy } from './service-account.strategy.js';

/** ServiceAccount in core v1: the hub's own shape. */
export const serviceAccountV1: ResourceVersionDefinition<ServiceAccount> = { name: 'v1', schema: serviceAccountV1Schema };

/** Service accounts are the users of programs: a user who may create an account's `token` can act as the account. */
export const serviceAccountDefinition = defineResource<ServiceAccount>({
  group: '',
  kind: 'ServiceAccount',
  namespaced: true,
  shortNames: ['sa'],
  versions: [serviceAccountV1],
  strategy: serviceAccountStrategy,
  returnsDeleted: true,
  columns: [nameColumn, ageColumn],
});
