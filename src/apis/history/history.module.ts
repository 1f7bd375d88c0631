import { Module } from '@nestjs/common';
import { LeaseTermModule } from './lease-term/lease-term.module.js';
import { RefusedRequestModule } from './refused-request/refused-request.module.js';

/** The group history.coordination-apiserver.dev. */
@Module({ imports: [LeaseTermModule, RefusedRequestModule] })
export class HistoryModule {}
