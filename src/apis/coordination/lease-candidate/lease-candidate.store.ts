import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { LeaseCandidate } from './lease-candidate.js';
import { leaseCandidateDefinition } from './lease-candidate.resource.js';

/** The store of lease candidates. */
@Injectable()
export class LeaseCandidateStore extends GenericResourceStore<LeaseCandidate> {
  static readonly definition = leaseCandidateDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(leaseCandidateDefinition));
  }
}
