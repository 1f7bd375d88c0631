import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseV1Module } from './lease/v1/lease-v1.module.js';

/** The group coordination.k8s.io: one module for each resource and version. */
@Module({})
export class CoordinationModule {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: CoordinationModule, imports: [LeaseV1Module.register(endpoints)] };
  }
}
