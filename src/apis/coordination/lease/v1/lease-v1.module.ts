import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { LeaseV1Controller } from './lease-v1.controller.js';

/** Lease in version v1. */
@Module({})
export class LeaseV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return { module: LeaseV1Module, imports: [endpoints], controllers: [LeaseV1Controller] };
  }
}
