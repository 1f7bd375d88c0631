import { Inject, Injectable, Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { type Authorizer, AUTHORIZER } from '../../../auth/authorization/authorizer.js';
import { RbacAuthorizer } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import type { EscalationOptions } from './escalation-check.js';

/** Injects the EscalationOptions that the write policies of roles and bindings use. */
@Injectable()
export class EscalationChecks implements EscalationOptions {
  constructor(
    @Inject(AUTHORIZER) readonly authorizer: Authorizer,
    readonly rbac: RbacAuthorizer,
  ) {}
}

/** Keeps users from granting rights that they do not have. */
@Module({ imports: [AuthModule], providers: [EscalationChecks], exports: [EscalationChecks] })
export class EscalationModule {}
