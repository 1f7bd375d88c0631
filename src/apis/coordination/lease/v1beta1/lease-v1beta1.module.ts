import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseV1beta1Controller } from './lease-v1beta1.controller.js';

/** Lease in version v1beta1, for clients older than Kubernetes 1.22. */
@Module({})
export class LeaseV1beta1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LeaseV1beta1Module, imports: [endpoints], controllers: [LeaseV1beta1Controller] };
  }
}
