import type { TypeOf } from '../schema/type-of.js';
import type { partialObjectMetadataSchema } from './partial-object-metadata.schema.js';

/** The common part of all API objects: kind, apiVersion and metadata. Treated as immutable after decoding. */
export type KubeObject = TypeOf<typeof partialObjectMetadataSchema>;
