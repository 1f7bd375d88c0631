import { createSubresourceController } from '../../../../endpoints/subresource-controller.js';
import { namespaceDefinition, namespaceV1 } from '../namespace.resource.js';

/** namespaces/NAME/finalize: what may change spec.finalizers. */
export class NamespaceFinalizeV1Controller extends createSubresourceController(namespaceDefinition, namespaceV1, 'finalize') {}

/** namespaces/NAME/status */
export class NamespaceStatusV1Controller extends createSubresourceController(namespaceDefinition, namespaceV1, 'status') {}
