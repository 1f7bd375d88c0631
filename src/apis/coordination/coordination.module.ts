import { Module } from '@nestjs/common';
import { LeaseModule } from './lease/lease.module.js';
import { LeaseLockModule } from './lease/lock/lease-lock.module.js';
import { LeaseStateModule } from './lease/state/lease-state.module.js';
import { LeaseCandidateModule } from './lease-candidate/lease-candidate.module.js';

/** The group coordination.k8s.io. */
@Module({ imports: [LeaseModule, LeaseLockModule, LeaseStateModule, LeaseCandidateModule] })
export class CoordinationModule {}
