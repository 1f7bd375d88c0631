import { Module } from '@nestjs/common';
import { RegistryModule } from '../../../registry/registry.module.js';
import { EscalationModule } from '../escalation/escalation.module.js';
import { ClusterRoleStore } from './cluster-role.store.js';

/** The store of cluster roles. */
@Module({ imports: [RegistryModule, EscalationModule], providers: [ClusterRoleStore], exports: [ClusterRoleStore] })
export class ClusterRoleModule {}
