/** The effect of the authorization modes on checks that resources make themselves. The class is the injection token. */
export abstract class AuthorizationRules {
  /** Whether nodes are restricted to their own leases. */
  abstract readonly restrictsNodes: boolean;
  /** Whether all requests are allowed. */
  abstract readonly allowsEverything: boolean;
}
