import type { Serializers } from './serializers.js';

const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** What PATCH takes; its parameters are ignored. CBOR's comes with the CBOR serializer. */
export function patchTypes(serializers: Serializers): readonly string[] {
  return serializers.forMediaType('application/cbor') ? [...PATCH_TYPES, 'application/apply-patch+cbor'] : PATCH_TYPES;
}
