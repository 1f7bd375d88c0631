import { SYSTEM_MASTERS } from '../authentication/well-known-users.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { type NamedAuthorizer, type Decision, type UserRules, ALLOWED, NO_OPINION } from './authorizer.js';

const NOTHING: UserRules = Object.freeze({ rules: [], incomplete: false });

/** Allows members of system:masters everything, independent of roles (apiserver authorization/authorizerfactory NewPrivilegedGroups). */
export class PrivilegedGroupAuthorizer implements NamedAuthorizer {
  readonly name = 'kubernetes.io/system-privileged-group';
  authorize(user: UserInfo): Decision {
    return user.groups.includes(SYSTEM_MASTERS) ? ALLOWED : NO_OPINION;
  }

  /** Empty, because RBAC lists the same rights. */
  rulesFor(): UserRules {
    return NOTHING;
  }
}
