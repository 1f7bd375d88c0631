import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { RoleModule } from '../role.module.js';
import { roleV1 } from '../role.resource.js';
import { RoleStore } from '../role.store.js';

/** Role in version v1. */
@Module({ imports: [RoleModule], providers: [serves(RoleStore, roleV1)] })
export class RoleV1Module {}
