import { Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { LeaseStore } from './lease.store.js';

/** The store of leases, which all served versions share. */
@Module({ imports: [RegistryModule, AuthModule], providers: [LeaseStore], exports: [LeaseStore] })
export class LeaseModule {}
