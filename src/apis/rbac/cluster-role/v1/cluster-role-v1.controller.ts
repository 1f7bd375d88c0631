import { ApiTags } from '@nestjs/swagger';
import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { clusterRoleDefinition, clusterRoleV1 } from '../cluster-role.resource.js';

/** rbac.authorization.k8s.io/v1 clusterroles. */
@ApiTags('rbacAuthorization_v1')
export class ClusterRoleV1Controller extends createResourceController(clusterRoleDefinition, clusterRoleV1) {}
