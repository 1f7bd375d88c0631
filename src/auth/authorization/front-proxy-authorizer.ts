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
