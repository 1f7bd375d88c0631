import type { UserInfo } from '../../registry/resource/request-context.js';
import type { AuditUser } from './audit-event.js';

/** Converts a user to its form in events. */
export function auditUser({ name, uid, groups, extra }: UserInfo): AuditUser {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
