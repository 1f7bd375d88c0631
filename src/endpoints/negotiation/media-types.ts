import { Inject, Injectable } from '@nestjs/common';
import { SERIALIZERS } from '../../apimachinery/codec/serializers.js';
import type { KindRegistry } from '../../apimachinery/codec/serializer/kind-registry.js';
import { KIND_REGISTRY } from '../../apimachinery/codec/serializer/kind-registry.js';
import { OutputNegotiation } from './output-negotiation.js';
import { Serializers } from './serializers.js';

/** What the server reads and writes, and which kinds it knows. */
@Injectable()
export class MediaTypes {
  /** In order of preference. */
  readonly serializers = new Serializers(SERIALIZERS);
  /** For what lies within a group version. */
  readonly versioned = new OutputNegotiation(this.serializers, false);
  /** For everything else, where upstream does not speak CBOR. */
  readonly global = new OutputNegotiation(new Serializers(SERIALIZERS.filter(({ mediaType }) => mediaType !== 'application/cbor')), false);

  constructor(@Inject(KIND_REGISTRY) readonly kinds: KindRegistry) {}
}
