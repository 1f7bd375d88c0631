import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { LeaseCandidateModule } from '../lease-candidate.module.js';
import { leaseCandidateV1alpha2 } from '../lease-candidate.resource.js';
import { LeaseCandidateStore } from '../lease-candidate.store.js';

/** LeaseCandidate in version v1alpha2. */
@Module({ imports: [LeaseCandidateModule], providers: [serves(LeaseCandidateStore, leaseCandidateV1alpha2)] })
export class LeaseCandidateV1alpha2Module {}
