import { createResourceController } from '../../../../endpoints/resource-controller.js';
import { namespaceDefinition, namespaceV1 } from '../namespace.resource.js';

/** Namespaces of the core group, version v1. */
export class NamespaceV1Controller extends createResourceController(namespaceDefinition, namespaceV1) {}
