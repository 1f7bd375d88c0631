import type { Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { unsupportedMediaType } from '../../apimachinery/errors/status-errors.js';

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

/** RFC 2045 token characters. */
// eslint-disable-next-line security/detect-unsafe-regex -- a slash parts the repetitions
const MEDIA_TYPE = /^[!#$%&'*+\-.^_`|~0-9a-z]+(\/[!#$%&'*+\-.^_`|~0-9a-z]+)?$/;
/** Matches one parameter at a time, because backtracking over a long header would take too long. */
// eslint-disable-next-line security/detect-unsafe-regex -- a backslash begins each repetition
const PARAMETER = /\s*;\s*[!#$%&'*+\-.^_`|~0-9a-z]+=(?:"[^"\\]*(?:\\.[^"\\]*)*"|[!#$%&'*+\-.^_`|~0-9a-z]+)/iy;

/** The serializer for a body with this Content-Type; JSON if absent. Throws the 415 (apiserver endpoints/handlers/negotiation). */
export function requireInput(serializers: Serializers, contentType: string | undefined): Serializer {
  if (contentType === undefined || contentType === '') return serializers.preferred;
  const serializer = serializers.forMediaType(contentType) ?? serializers.forMediaType(parseMediaType(contentType) ?? '');
  if (!serializer) throw unsupportedMediaType(serializers.mediaTypes);
  return serializer;
}

/** Go's mime.ParseMediaType without the parameters: lower case; undefined if it would fail. */
export function parseMediaType(contentType: string): string | undefined {
  const semicolon = contentType.indexOf(';');
  const mediaType = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
  if (!MEDIA_TYPE.test(mediaType)) return undefined;
  return semicolon < 0 || areParameters(contentType.slice(semicolon)) ? mediaType : undefined;
}

function areParameters(text: string): boolean {
  let end = 0;
  for (PARAMETER.lastIndex = 0; PARAMETER.test(text);) end = PARAMETER.lastIndex;
  const rest = text.slice(end).trim();
  return rest === '' || rest === ';';
}
