import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { KIND_REGISTRY, kindRegistry } from '../apimachinery/codec/serializer/serializer.js';
import { Storage } from '../storage/storage.js';
import { StorageModule } from '../storage/storage.module.js';
import { type Clock, CLOCK } from '../telemetry/clock.js';
import { AdmissionChain } from './admission/admission.js';
import { registeredKinds } from './registered-kinds.js';
import { RegistrySettings } from './registry.settings.js';
import { ResourceRegistry } from './resource-registry.js';
import { RuntimeConfig } from './runtime-config.js';
import { ServedVersions } from './serves.js';
import { StoreServices } from './store-of.js';

const RUNTIME_CONFIG = {
  provide: RuntimeConfig,
  inject: [RegistrySettings],
  useFactory: ({ runtimeConfig }: RegistrySettings) => new RuntimeConfig(runtimeConfig),
};

const KINDS = {
  provide: KIND_REGISTRY,
  inject: [ResourceRegistry],
  useFactory: ({ definitions }: ResourceRegistry) => kindRegistry(registeredKinds(definitions)),
};

const RESOURCE_REGISTRY = {
  provide: ResourceRegistry,
  inject: [ServedVersions, RuntimeConfig],
  useFactory: ({ declarations }: ServedVersions, versions: RuntimeConfig) => ResourceRegistry.of(declarations, versions),
};

const STORE_SERVICES = {
  provide: StoreServices,
  inject: [Storage, AdmissionChain, RuntimeConfig, CLOCK],
  useFactory: ({ objects, creators }: Storage, admission: AdmissionChain, versions: RuntimeConfig, now: Clock) =>
    new StoreServices(objects, admission, versions, now, creators),
};

/** Services that the modules of all resources use. */
@Module({
  imports: [DiscoveryModule, StorageModule],
  providers: [AdmissionChain, RUNTIME_CONFIG, STORE_SERVICES, ServedVersions, RESOURCE_REGISTRY, KINDS],
  exports: [AdmissionChain, StoreServices, ServedVersions, ResourceRegistry, KIND_REGISTRY],
})
export class RegistryModule {}
