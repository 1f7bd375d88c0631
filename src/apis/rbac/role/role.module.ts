import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { EscalationModule } from '../escalation/escalation.module.js';
import { RoleStore } from './role.store.js';

/** The store of roles. */
@Module({ imports: [RegistryModule, EscalationModule], providers: [RoleStore], exports: [RoleStore] })
export class RoleModule {}
