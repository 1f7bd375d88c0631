import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { LeaseCandidateStore } from './lease-candidate.store.js';

/** The store of lease candidates, which all served versions share. */
@Module({ imports: [RegistryModule], providers: [LeaseCandidateStore], exports: [LeaseCandidateStore] })
export class LeaseCandidateModule {}
