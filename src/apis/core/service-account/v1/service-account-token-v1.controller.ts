import { createSubresourceController } from '../../../../endpoints/subresource-controller.js';
import { serviceAccountDefinition, serviceAccountV1 } from '../service-account.resource.js';

/** serviceaccounts/NAME/token: what issues tokens. */
export class ServiceAccountTokenV1Controller extends createSubresourceController(serviceAccountDefinition, serviceAccountV1, 'token') {}
