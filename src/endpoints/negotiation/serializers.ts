import type { Serializer } from '../../apimachinery/codec/serializer/serializer.js';

/** The media types of an endpoint in order of preference. The first is the default. */
export class Serializers {
  readonly mediaTypes: readonly string[];
  /** The media types of watch streams, as listed in a 406. */
  readonly streamMediaTypes: readonly string[];
  readonly preferred: Serializer;

  constructor(readonly all: readonly Serializer[]) {
    const [first] = all;
    if (!first) throw new Error('at least one serializer is required');
    this.preferred = first;
    this.mediaTypes = all.map((serializer) => serializer.mediaType);
    this.streamMediaTypes = all.filter((serializer) => serializer.watchMediaType !== undefined).map(streamMediaType);
  }

  /** The serializer for exactly this media type, without parameters. */
  forMediaType(mediaType: string): Serializer | undefined {
    return this.all.find((serializer) => serializer.mediaType === mediaType);
  }
}

function streamMediaType(serializer: Serializer): string {
  return serializer.mediaType === 'application/cbor' ? 'application/cbor-seq' : `${serializer.mediaType};stream=watch`;
}

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
