import { Injectable } from '@nestjs/common';
import { GenericResourceStore } from '../../../registry/generic-resource-store.js';
import { StoreServices } from '../../../registry/store-services.js';
import type { Namespace } from './namespace.js';
import { namespaceDefinition } from './namespace.resource.js';

/** The store of namespaces. */
@Injectable()
export class NamespaceStore extends GenericResourceStore<Namespace> {
  static readonly definition = namespaceDefinition;

  constructor(services: StoreServices) {
    super(services.storeOf(namespaceDefinition));
  }
}
