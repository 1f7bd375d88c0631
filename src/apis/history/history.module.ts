import { Module } from '@nestjs/common';
import { LeaseTermV1Module } from './lease-term/v1/lease-term-v1.module.js';
import { RefusedRequestV1Module } from './refused-request/v1/refused-request-v1.module.js';

/** The group history.coordination-apiserver.dev. */
@Module({ imports: [LeaseTermV1Module, RefusedRequestV1Module] })
export class HistoryModule {}
