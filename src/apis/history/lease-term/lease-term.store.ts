import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { LeaseTerm } from './lease-term.js';
import { leaseTermDefinition } from './lease-term.resource.js';

/** The store of terms. */
@Injectable()
export class LeaseTermStore extends GenericResourceStore<LeaseTerm> {
  static readonly definition = leaseTermDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(leaseTermDefinition));
  }
}
