import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ServiceAccountTokenV1Controller } from './service-account-token-v1.controller.js';
import { ServiceAccountV1Controller } from './service-account-v1.controller.js';

/** ServiceAccount in version v1. */
@Module({})
export class ServiceAccountV1Module {
  static register(endpoints: DynamicModule): DynamicModule {
    return {
      module: ServiceAccountV1Module,
      imports: [endpoints],
      controllers: [ServiceAccountV1Controller, ServiceAccountTokenV1Controller],
    };
  }
}
