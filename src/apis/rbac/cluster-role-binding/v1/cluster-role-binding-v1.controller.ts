import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { clusterRoleBindingDefinition, clusterRoleBindingV1 } from '../cluster-role-binding.resource.js';

/** rbac.authorization.k8s.io/v1 clusterrolebindings. */
export class ClusterRoleBindingV1Controller extends createResourceController(clusterRoleBindingDefinition, clusterRoleBindingV1) {}
