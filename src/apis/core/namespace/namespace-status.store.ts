import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { Namespace } from './namespace.js';
import { namespaceStatusDefinition } from './namespace.resource.js';

/** The store behind namespaces/NAME/status. */
@Injectable()
export class NamespaceStatusStore extends GenericResourceStore<Namespace> {
  static readonly definition = namespaceStatusDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(namespaceStatusDefinition));
  }
}
