import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { LeaseModule } from '../lease.module.js';
import { leaseV1beta1 } from '../lease.resource.js';
import { LeaseStore } from '../lease.store.js';

/** Lease in version v1beta1. */
@Module({ imports: [LeaseModule], providers: [serves(LeaseStore, leaseV1beta1)] })
export class LeaseV1beta1Module {}
