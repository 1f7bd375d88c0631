import { Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { serves } from '../../../registry/serves.js';
import { TokenRequestStore } from '../../authentication/token-request.store.js';
import { ServiceAccountStore, serviceAccountV1 } from './service-account.resource.js';

const TOKEN = { name: 'token', verbs: ['create'], store: TokenRequestStore } as const;

/** Service accounts, whose subresource `token` issues their tokens. */
@Module({
  imports: [RegistryModule, AuthModule],
  providers: [ServiceAccountStore, TokenRequestStore, serves(ServiceAccountStore, serviceAccountV1, [TOKEN])],
  exports: [ServiceAccountStore],
})
export class ServiceAccountModule {}
