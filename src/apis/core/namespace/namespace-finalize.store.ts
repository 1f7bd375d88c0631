import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { Namespace } from './namespace.js';
import { namespaceFinalizeDefinition } from './namespace.resource.js';

/** The store behind namespaces/NAME/finalize, whose PUT may change spec.finalizers. */
@Injectable()
export class NamespaceFinalizeStore extends GenericResourceStore<Namespace> {
  static readonly definition = namespaceFinalizeDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(namespaceFinalizeDefinition));
  }
}
