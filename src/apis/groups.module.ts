import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { serves } from '../registry/serves.js';
import { SelfSubjectReviewStore, TokenReviewStore } from './authentication/reviews.store.js';
import {
  LocalSubjectAccessReviewStore,
  SelfSubjectAccessReviewStore,
  SubjectAccessReviewStore,
} from './authorization/access-review.stores.js';
import { SelfSubjectRulesReviewStore } from './authorization/self-subject-rules-review.store.js';
import { LeaseCandidateModule } from './coordination/lease-candidate/lease-candidate.module.js';
import { LeaseModule } from './coordination/lease/lease.module.js';
import { LeaseLockModule } from './coordination/lease/lock/lease-lock.module.js';
import { LeaseStateModule } from './coordination/lease/state/lease-state.module.js';
import { EventModule } from './core/event/event.module.js';
import { NamespaceModule } from './core/namespace/namespace.module.js';
import { ServiceAccountModule } from './core/service-account/service-account.module.js';
import { EventsEventModule } from './events/event/events-event.module.js';
import { LeaseTermModule } from './history/lease-term/lease-term.module.js';
import { RefusedRequestModule } from './history/refused-request/refused-request.module.js';
import { ClusterRoleBindingModule, RoleBindingModule } from './rbac/binding/bindings.module.js';
import { ClusterRoleModule, RoleModule } from './rbac/role/roles.module.js';

/** The core group, limited to what the coordination API needs. */
@Module({ imports: [EventModule, NamespaceModule, ServiceAccountModule] })
export class CoreModule {}

/** The group events.k8s.io. */
@Module({ imports: [EventsEventModule] })
export class EventsModule {}

/** The group rbac.authorization.k8s.io: roles and their bindings. */
@Module({ imports: [RoleModule, RoleBindingModule, ClusterRoleModule, ClusterRoleBindingModule] })
export class RbacModule {}

/** The group coordination.k8s.io. */
@Module({ imports: [LeaseModule, LeaseLockModule, LeaseStateModule, LeaseCandidateModule] })
export class CoordinationModule {}

/** The group history.coordination-apiserver.dev. */
@Module({ imports: [LeaseTermModule, RefusedRequestModule] })
export class HistoryModule {}

/** The group authentication.k8s.io, which reviews identities and tokens. */
@Module({
  imports: [AuthModule],
  providers: [SelfSubjectReviewStore, TokenReviewStore, serves(SelfSubjectReviewStore), serves(TokenReviewStore)],
})
export class AuthenticationModule {}

/** The group authorization.k8s.io, which reviews rights. */
@Module({
  imports: [AuthModule],
  providers: [
    LocalSubjectAccessReviewStore,
    SelfSubjectAccessReviewStore,
    SelfSubjectRulesReviewStore,
    SubjectAccessReviewStore,
    serves(LocalSubjectAccessReviewStore),
    serves(SelfSubjectAccessReviewStore),
    serves(SelfSubjectRulesReviewStore),
    serves(SubjectAccessReviewStore),
  ],
})
export class AuthorizationModule {}
