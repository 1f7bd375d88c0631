import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { RefusedRequestModule } from '../refused-request.module.js';
import { refusedRequestV1 } from '../refused-request.resource.js';
import { RefusedRequestStore } from '../refused-request.store.js';

/** RefusedRequest in version v1. */
@Module({ imports: [RefusedRequestModule], providers: [serves(RefusedRequestStore, refusedRequestV1)] })
export class RefusedRequestV1Module {}
