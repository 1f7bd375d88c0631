import { Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { ServiceAccountModule } from '../../core/service-account/service-account.module.js';
import { TokenRequestStore } from './token-request.store.js';

/** Requests for tokens, which are posted to service accounts. */
@Module({ imports: [RegistryModule, AuthModule, ServiceAccountModule], providers: [TokenRequestStore], exports: [TokenRequestStore] })
export class TokenRequestModule {}
