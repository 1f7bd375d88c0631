import { Inject, Injectable } from '@nestjs/common';
import { SERIALIZERS } from '../../apimachinery/codec/serializers.js';
import type { KindRegistry } from '../../apimachinery/codec/serializer/kind-registry.js';
import { KIND_REGISTRY } from '../../apimachinery/codec/serializer/kind-registry.js';
import { OutputNegotiation } from './output-negotiation.js';
import { Serializers } from './serializers.js';

/** The media types that the server reads and writes. */
@Injectable()
export class MediaTypes {
  /** In order of preference. */
  readonly serializers = new Serializers(SERIALIZERS);
  /** For responses within a group version. */
  readonly versioned = new OutputNegotiation(this.serializers, false);
  /** For all other responses, where upstream does not support CBOR. */
  readonly global = new OutputNegotiation(new Serializers(SERIALIZERS.filter(({ mediaType }) => mediaType !== 'application/cbor')), false);

  constructor(@Inject(KIND_REGISTRY) readonly kinds: KindRegistry) {}
}
