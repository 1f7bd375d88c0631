import { Injectable } from '@nestjs/common';
import { LeaseStore } from '../../apis/coordination/lease/lease.module.js';
import { EventStore } from '../../apis/core/event/event.module.js';

/** The resources that are read and written. */
@Injectable()
export class LeaseExpiryStores {
  constructor(
    readonly leases: LeaseStore,
    readonly events: EventStore,
  ) {}
}
