import { Module } from '@nestjs/common';
import { AuthModule } from '../../../auth/auth.module.js';
import { EscalationChecks } from './escalation-checks.js';

/** Keeps users from granting rights that they do not have. */
@Module({ imports: [AuthModule], providers: [EscalationChecks], exports: [EscalationChecks] })
export class EscalationModule {}
