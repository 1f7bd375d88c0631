import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { ClusterRoleModule } from '../cluster-role.module.js';
import { clusterRoleV1 } from '../cluster-role.resource.js';
import { ClusterRoleStore } from '../cluster-role.store.js';

/** ClusterRole in version v1. */
@Module({ imports: [ClusterRoleModule], providers: [serves(ClusterRoleStore, clusterRoleV1)] })
export class ClusterRoleV1Module {}
