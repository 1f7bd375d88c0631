import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { serviceAccountDefinition, serviceAccountV1 } from '../service-account.resource.js';

/** core/v1 serviceaccounts. */
export class ServiceAccountV1Controller extends createResourceController(serviceAccountDefinition, serviceAccountV1) {}
