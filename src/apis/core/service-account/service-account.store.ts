import { storeOf } from '../../../registry/store-of.js';
import { serviceAccountDefinition } from './service-account.resource.js';

export class ServiceAccountStore extends storeOf(serviceAccountDefinition) {}
