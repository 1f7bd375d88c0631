import { storeOf } from '../../../registry/store-of.js';
import { serviceAccountDefinition } from './service-account.resource.js';

/** The store of service accounts. */
export class ServiceAccountStore extends storeOf(serviceAccountDefinition) {}
