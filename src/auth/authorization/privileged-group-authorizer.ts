import { SYSTEM_MASTERS } from '../authentication/well-known-users.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { Authorizer, Decision, UserRules } from './authorizer.js';
import { ALLOWED, NO_OPINION } from './authorizer.js';

const NOTHING: UserRules = Object.freeze({ rules: [], incomplete: false });

/** Members of system:masters may do everything, whatever roles say (apiserver authorization/authorizerfactory NewPrivilegedGroups). */
export class PrivilegedGroupAuthorizer implements Authorizer {
  authorize(user: UserInfo): Decision {
    return user.groups.includes(SYSTEM_MASTERS) ? ALLOWED : NO_OPINION;
  }

  /** Roles say it, too. */
  rulesFor(): UserRules {
    return NOTHING;
  }
}
