import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { ClusterRoleBindingModule } from '../cluster-role-binding.module.js';
import { clusterRoleBindingV1 } from '../cluster-role-binding.resource.js';
import { ClusterRoleBindingStore } from '../cluster-role-binding.store.js';

/** ClusterRoleBinding in version v1. */
@Module({ imports: [ClusterRoleBindingModule], providers: [serves(ClusterRoleBindingStore, clusterRoleBindingV1)] })
export class ClusterRoleBindingV1Module {}
