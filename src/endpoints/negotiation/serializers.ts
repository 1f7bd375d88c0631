import type { Serializer } from '../../apimachinery/codec/serializer.js';

/** The media types that an endpoint speaks, in order of preference; the first one is what a request without a wish gets. */
export class Serializers {
  readonly mediaTypes: readonly string[];
  /** How watch streams are listed in 406 answers. */
  readonly streamMediaTypes: readonly string[];
  readonly preferred: Serializer;

  constructor(readonly all: readonly Serializer[]) {
    const [first] = all;
    if (!first) throw new Error('at least one serializer is needed');
    this.preferred = first;
    this.mediaTypes = all.map((serializer) => serializer.mediaType);
    this.streamMediaTypes = all.filter((serializer) => serializer.watchMediaType !== undefined).map(streamMediaType);
  }

  /** The one for exactly this media type, without parameters. */
  forMediaType(mediaType: string): Serializer | undefined {
    return this.all.find((serializer) => serializer.mediaType === mediaType);
  }
}

function streamMediaType(serializer: Serializer): string {
  return serializer.mediaType === 'application/cbor' ? 'application/cbor-seq' : `${serializer.mediaType};stream=watch`;
}
