import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { roleBindingDefinition, roleBindingV1 } from '../role-binding.resource.js';

/** rbac.authorization.k8s.io/v1 rolebindings. */
export class RoleBindingV1Controller extends createResourceController(roleBindingDefinition, roleBindingV1) {}
