import type { Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { unsupportedMediaType } from '../../apimachinery/errors/status-errors.js';
import type { Serializers } from './serializers.js';

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
