import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { ServiceAccount } from './service-account.js';
import { serviceAccountDefinition } from './service-account.resource.js';

/** The store of service accounts. */
@Injectable()
export class ServiceAccountStore extends GenericResourceStore<ServiceAccount> {
  static readonly definition = serviceAccountDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(serviceAccountDefinition));
  }
}
