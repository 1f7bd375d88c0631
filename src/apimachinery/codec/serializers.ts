import { CborSerializer } from './cbor/cbor-serializer.js';
import { JsonSerializer } from './json/json-serializer.js';
import { ProtobufSerializer } from './protobuf/protobuf-serializer.js';
import type { Serializer } from './serializer/serializer.js';
import { YamlSerializer } from './yaml/yaml-serializer.js';

/**
 * The serializers, in the order in which negotiation tries them and error texts list them (apimachinery
 * pkg/runtime/serializer/codec_factory.go).
 */
export const SERIALIZERS: readonly Serializer[] = [
  new JsonSerializer(),
  new YamlSerializer(),
  new ProtobufSerializer(),
  new CborSerializer(),
];
