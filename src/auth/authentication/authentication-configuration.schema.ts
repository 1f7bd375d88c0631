import { type Field, bool, field, list, string, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';

/** Files of this type are only read as JSON or YAML: the fields need no numbers. */
const text = (name: string): Field => field(name, 0, string(), 'optional', '');
const type = (goName: string, fields: Field[]) => struct(goName, '', fields);

const issuer = type('Issuer', [
  text('url'),
  text('discoveryURL'),
  text('certificateAuthority'),
  field('audiences', 0, list(string()), 'optional', ''),
  text('audienceMatchPolicy'),
  text('egressSelectorType'),
]);
const claimValidationRule = type('ClaimValidationRule', [text('claim'), text('requiredValue'), text('expression'), text('message')]);
const prefixed = type('PrefixedClaimOrExpression', [text('claim'), text('prefix'), text('expression')]);
const claimOrExpression = type('ClaimOrExpression', [text('claim'), text('expression')]);
const extraMapping = type('ExtraMapping', [text('key'), text('valueExpression')]);
const claimMappings = type('ClaimMappings', [
  field('username', 0, prefixed, 'optional', ''),
  field('groups', 0, prefixed, 'optional', ''),
  field('uid', 0, claimOrExpression, 'optional', ''),
  field('extra', 0, list(extraMapping), 'optional', ''),
]);
const userValidationRule = type('UserValidationRule', [text('expression'), text('message')]);
const jwtAuthenticator = type('JWTAuthenticator', [
  field('issuer', 0, issuer, 'optional', ''),
  field('claimValidationRules', 0, list(claimValidationRule), 'optional', ''),
  field('claimMappings', 0, claimMappings, 'optional', ''),
  field('userValidationRules', 0, list(userValidationRule), 'optional', ''),
]);
const anonymous = type('AnonymousAuthConfig', [
  field('enabled', 0, bool(), 'optional', ''),
  field('conditions', 0, list(type('AnonymousAuthCondition', [text('path')])), 'optional', ''),
]);

/** apiserver.config.k8s.io AuthenticationConfiguration; identical in all its versions. */
export const authenticationConfigurationSchema = type('AuthenticationConfiguration', [
  ...typeMetaFields(),
  field('jwt', 0, list(jwtAuthenticator), 'optional', ''),
  field('anonymous', 0, anonymous, 'optional', ''),
]);
