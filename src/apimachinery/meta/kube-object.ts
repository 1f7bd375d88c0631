import type { TypeOf } from '../schema/type-of.js';
import type { partialObjectMetadataSchema } from './partial-object-metadata.schema.js';

/** What any API object has: its metadata, and kind and apiVersion. Treated as immutable once it left the decoder. */
export type KubeObject = TypeOf<typeof partialObjectMetadataSchema>;
