import { Module } from '@nestjs/common';
import { serves } from '../../../../registry/serves.js';
import { RoleBindingModule } from '../role-binding.module.js';
import { roleBindingV1 } from '../role-binding.resource.js';
import { RoleBindingStore } from '../role-binding.store.js';

/** RoleBinding in version v1. */
@Module({ imports: [RoleBindingModule], providers: [serves(RoleBindingStore, roleBindingV1)] })
export class RoleBindingV1Module {}
