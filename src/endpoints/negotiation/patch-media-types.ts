import type { Serializers } from './serializers.js';

const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** The media types that PATCH accepts. The one for CBOR depends on the CBOR serializer. */
export function patchMediaTypes(serializers: Serializers): readonly string[] {
  return serializers.forMediaType('application/cbor') ? [...PATCH_TYPES, 'application/apply-patch+cbor'] : PATCH_TYPES;
}
