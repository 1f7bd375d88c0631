import type { UserInfo } from '../../registry/resource/request-context.js';
import type { Authorizer, Decision } from './authorizer.js';
import { ALLOWED, NO_OPINION } from './authorizer.js';

/**
 * Allows what comes through a trusted front proxy: kube-apiserver authorizes a request before it passes it on. Requests that reach this
 * server directly are for the other authorizers.
 */
export class FrontProxyAuthorizer implements Authorizer {
  authorize({ isProxied }: UserInfo): Decision {
    return isProxied === true ? ALLOWED : NO_OPINION;
  }
}

/** The user for a check beyond the request itself, which no front proxy has made. */
export function withoutProxy({ name, uid, groups, extra }: UserInfo): UserInfo {
  return { name, uid, groups, extra };
}
