import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { LeaseTermModule } from '../lease-term.module.js';
import { leaseTermV1 } from '../lease-term.resource.js';
import { LeaseTermStore } from '../lease-term.store.js';

/** LeaseTerm in version v1. */
@Module({ imports: [LeaseTermModule], providers: [serves(LeaseTermStore, leaseTermV1)] })
export class LeaseTermV1Module {}
