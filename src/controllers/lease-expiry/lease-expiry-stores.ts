import { Injectable } from '@nestjs/common';
import { LeaseStore } from '../../apis/coordination/lease/lease.store.js';
import { EventStore } from '../../apis/core/event/event.store.js';

/** The resources that are read and written. */
@Injectable()
export class LeaseExpiryStores {
  constructor(
    readonly leases: LeaseStore,
    readonly events: EventStore,
  ) {}
}
