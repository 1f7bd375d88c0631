import { Inject, Injectable } from '@nestjs/common';
import type { KindRegistry } from '../../apimachinery/codec/serializer/serializer.js';
import { type Authorizer, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { MediaTypes } from '../negotiation/media-types.js';
import type { Serializers } from '../negotiation/serializers.js';
import { ErrorWriter } from '../response/error-writer.js';
import { WatchServices } from './watch-services.js';

/** Services shared by the scopes of all resources. */
@Injectable()
export class ScopeServices {
  readonly serializers: Serializers;
  readonly kinds: KindRegistry;

  constructor(
    { serializers, kinds }: MediaTypes,
    readonly errors: ErrorWriter,
    @Inject(AUTHORIZER) readonly authorizer: Authorizer,
    readonly watches: WatchServices,
    @Inject(CLOCK) readonly now: Clock,
  ) {
    this.serializers = serializers;
    this.kinds = kinds;
  }
}
