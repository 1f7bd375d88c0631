import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { LeaseModule } from '../lease.module.js';
import { leaseV1 } from '../lease.resource.js';
import { LeaseStore } from '../lease.store.js';

/** Lease in version v1. */
@Module({ imports: [LeaseModule], providers: [serves(LeaseStore, leaseV1)] })
export class LeaseV1Module {}
