import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { NamespaceFinalizeStore } from '../namespace-finalize.store.js';
import { NamespaceStatusStore } from '../namespace-status.store.js';
import { NamespaceModule } from '../namespace.module.js';
import { namespaceV1 } from '../namespace.resource.js';
import { NamespaceStore } from '../namespace.store.js';

const SUBRESOURCES = [
  { name: 'finalize', verbs: ['update'], store: NamespaceFinalizeStore },
  { name: 'status', verbs: ['get', 'patch', 'update'], store: NamespaceStatusStore },
] as const;

/** Namespace in version v1, with its subresources. */
@Module({ imports: [NamespaceModule], providers: [serves(NamespaceStore, namespaceV1, SUBRESOURCES)] })
export class NamespaceV1Module {}
