import { Inject, Injectable } from '@nestjs/common';
import { SERIALIZERS } from '../../apimachinery/codec/serializers.js';
import { type KindRegistry, KIND_REGISTRY } from '../../apimachinery/codec/serializer/serializer.js';
import { OutputNegotiation } from './output-negotiation.js';
import { Serializers } from './serializers.js';

/** The media types that the server reads and writes. */
@Injectable()
export class MediaTypes {
  /** In order of preference. */
  readonly serializers = new Serializers(SERIALIZERS);
  /** For documents and errors. */
  readonly plain = new OutputNegotiation(this.serializers, false);

  constructor(@Inject(KIND_REGISTRY) readonly kinds: KindRegistry) {}
}
