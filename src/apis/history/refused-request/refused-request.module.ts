import { Module } from '@nestjs/common';
import { RefusalsModule } from '../../../endpoints/refusals/refusals.module.js';
import { RegistryModule } from '../../../registry/registry.module.js';
import { RefusedRequestStore } from './refused-request.store.js';

/** The store of refused requests. */
@Module({ imports: [RegistryModule, RefusalsModule], providers: [RefusedRequestStore], exports: [RefusedRequestStore] })
export class RefusedRequestModule {}
