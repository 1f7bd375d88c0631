import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { ServiceAccountStore } from './service-account.store.js';

/** The store of service accounts. */
@Module({ imports: [RegistryModule], providers: [ServiceAccountStore], exports: [ServiceAccountStore] })
export class ServiceAccountModule {}
