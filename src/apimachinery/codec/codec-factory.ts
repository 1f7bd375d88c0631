import { CborSerializer } from './cbor/cbor-serializer.js';
import { JsonSerializer } from './json/json-serializer.js';
import { ProtobufSerializer } from './protobuf/protobuf-serializer.js';
import type { Serializer } from './serializer.js';
import { YamlSerializer } from './yaml/yaml-serializer.js';

/**
 * The serializers in the order in which negotiation tries them and error texts list them
 * (apimachinery pkg/runtime/serializer/codec_factory.go).
 */
export const SERIALIZERS: readonly Serializer[] = [
  new JsonSerializer(),
  new YamlSerializer(),
  new ProtobufSerializer(),
  new CborSerializer(),
];

const byMediaType = new Map(SERIALIZERS.map((serializer) => [serializer.mediaType, serializer]));

/** The serializer of a media type without parameters, in lower case; undefined: not supported. */
export function serializerFor(mediaType: string): Serializer | undefined {
  return byMediaType.get(mediaType);
}
