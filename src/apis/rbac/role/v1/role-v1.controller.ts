import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { roleDefinition, roleV1 } from '../role.resource.js';

/** rbac.authorization.k8s.io/v1 roles. */
export class RoleV1Controller extends createResourceController(roleDefinition, roleV1) {}
