import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { clusterRoleDefinition, clusterRoleV1 } from '../cluster-role.resource.js';

/** rbac.authorization.k8s.io/v1 clusterroles. */
export class ClusterRoleV1Controller extends createResourceController(clusterRoleDefinition, clusterRoleV1) {}
