import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { LeaseTermStore } from './lease-term.store.js';

/** The store of terms. */
@Module({ imports: [RegistryModule], providers: [LeaseTermStore], exports: [LeaseTermStore] })
export class LeaseTermModule {}
