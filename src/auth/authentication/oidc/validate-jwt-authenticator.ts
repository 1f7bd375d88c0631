import { X509Certificate } from 'node:crypto';
import { type FieldError, duplicate, invalid, required } from '../../../apimachinery/errors/field-error.js';
import { validateDnsSubdomain } from '../../../apimachinery/validation/names.js';
import type { CompiledRules } from './cel-program.js';
import type {
  ClaimOrExpression,
  ClaimValidationRule,
  ExtraMapping,
  IssuerConfig,
  JwtAuthenticatorConfig,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './jwt-authenticator-config.js';

const NOT_BOTH = "claim and expression can't both be set";
const ONE_OF_BOTH = 'claim or expression is required';
const RESERVED = /(^|\.)(kubernetes|k8s)\.io$/;

/** Validates the configuration of an issuer, except that its expressions compile (apiserver pkg/apis/apiserver/validation). */
export function validateJwtAuthenticator(config: JwtAuthenticatorConfig, at: string, taken: readonly string[]): FieldError[] {
  const { username, groups, uid, extra = [] } = config.claimMappings;
  const mappings = `${at}.claimMappings`;
  return [
    ...validateIssuer(config.issuer, `${at}.issuer`, taken),
    ...validateClaimRules(config.claimValidationRules ?? [], `${at}.claimValidationRules`),
    ...(isEmpty(username) ? [required(`${mappings}.username`, ONE_OF_BOTH)] : validateMapping(username, `${mappings}.username`)),
    ...validateMapping(groups ?? {}, `${mappings}.groups`),
    ...(uid?.claim && uid.expression ? [invalid(`${mappings}.uid`, '', NOT_BOTH)] : []),
    ...extra.flatMap((mapping, index) => validateExtra(mapping, extra.slice(0, index), `${mappings}.extra[${index}]`)),
    ...validateUserRules(config.userValidationRules ?? [], `${at}.userValidationRules`),
  ];
}

/** A user name taken from the email claim requires a decision about unverified addresses. */
export function validateUseOfEmail({ claimMappings }: JwtAuthenticatorConfig, rules: CompiledRules, at: string): FieldError[] {
  if (!rules.username?.reads('email')) return [];
  const readers = [rules.username, ...rules.extra.map(({ program }) => program), ...rules.claims.map(({ program }) => program)];
  if (readers.some((program) => program.reads('email_verified'))) return [];
  const detail =
    'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or ' +
    'claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
  return [invalid(`${at}.claimMappings.username.expression`, claimMappings.username.expression, detail)];
}

function isEmpty({ claim, expression }: ClaimOrExpression): boolean {
  return !claim && !expression;
}

function validateMapping({ claim, expression, prefix }: PrefixedClaimOrExpression, at: string): FieldError[] {
  if (claim && expression) return [invalid(at, '', NOT_BOTH)];
  if (expression && prefix !== undefined) return [invalid(`${at}.prefix`, prefix, 'may not be specified when expression is set')];
  if (!claim || prefix !== undefined) return [];
  return [required(`${at}.prefix`, 'prefix is required when claim is set. It can be set to an empty string to disable prefixing')];
}

function validateClaimRules(rules: readonly ClaimValidationRule[], at: string): FieldError[] {
  return rules.flatMap(({ claim, expression, message, requiredValue }, index): FieldError[] => {
    const path = `${at}[${index}]`;
    if (claim && expression) return [invalid(path, claim, NOT_BOTH)];
    if (expression) {
      return [
        ...(requiredValue ? [invalid(`${path}.requiredValue`, requiredValue, 'may not be specified when expression is set')] : []),
        ...(rules.findIndex((other) => other.expression === expression) < index ? [duplicate(`${path}.expression`, expression)] : []),
      ];
    }
    if (!claim) return [required(path, ONE_OF_BOTH)];
    return [
      ...(message ? [invalid(`${path}.message`, message, 'may not be specified when claim is set')] : []),
      ...(rules.findIndex((other) => other.claim === claim) < index ? [duplicate(`${path}.claim`, claim)] : []),
    ];
  });
}

function validateExtra({ key, valueExpression }: ExtraMapping, before: readonly ExtraMapping[], at: string): FieldError[] {
  const [domain = '', ...path] = key.split('/');
  const named = path.join('/') !== '' && validateDnsSubdomain(domain).length === 0;
  return [
    ...(named ? [] : [invalid(`${at}.key`, key, 'must be a domain-prefixed path (such as "acme.io/foo")')]),
    ...(key === key.toLowerCase() ? [] : [invalid(`${at}.key`, key, 'must be lowercase')]),
    ...(RESERVED.test(domain)
      ? [invalid(`${at}.key`, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')]
      : []),
    ...(before.some((other) => other.key === key) ? [duplicate(`${at}.key`, key)] : []),
    ...(valueExpression === '' ? [required(`${at}.valueExpression`)] : []),
  ];
}

function validateUserRules(rules: readonly UserValidationRule[], at: string): FieldError[] {
  return rules.flatMap(({ expression }, index): FieldError[] => {
    if (!expression) return [required(`${at}[${index}].expression`)];
    const seen = rules.findIndex((other) => other.expression === expression) < index;
    return seen ? [duplicate(`${at}[${index}].expression`, expression)] : [];
  });
}

const MATCH_ANY = 'MatchAny';

/** Validates an issuer (apiserver pkg/apis/apiserver/validation). `taken`: issuers whose tokens are verified elsewhere. */
function validateIssuer(issuer: IssuerConfig, at: string, taken: readonly string[]): FieldError[] {
  const { url, discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = issuer;
  const errors = url === '' ? [required(`${at}.url`)] : validateUrl(url, `${at}.url`, taken);
  if (discoveryURL !== '') {
    if (url !== '' && withoutSlash(url) === withoutSlash(discoveryURL)) {
      errors.push(invalid(`${at}.discoveryURL`, discoveryURL, 'discoveryURL must be different from URL'));
    }
    errors.push(...validateUrl(discoveryURL, `${at}.discoveryURL`, []));
  }
  errors.push(...validateAudiences(issuer, at));
  if (certificateAuthority !== '' && !holdsCertificates(certificateAuthority)) {
    errors.push(invalid(`${at}.certificateAuthority`, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates'));
  }
  if (egressSelectorType !== '') {
    errors.push(invalid(`${at}.egressSelectorType`, egressSelectorType, 'egress selector is not supported'));
  }
  return errors;
}

function validateUrl(text: string, at: string, taken: readonly string[]): FieldError[] {
  const wrong = (detail: string): FieldError => invalid(at, text, detail);
  const errors = taken.includes(text) ? [wrong(`URL must not overlap with disallowed issuers: [${taken.join(' ')}]`)] : [];
  if (!URL.canParse(text)) return [...errors, wrong('must be a valid URL')];
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:') errors.push(wrong('URL scheme must be https'));
  if (username !== '' || password !== '') errors.push(wrong('URL must not contain a username or password'));
  if (search !== '') errors.push(wrong('URL must not contain a query'));
  if (hash !== '') errors.push(wrong('URL must not contain a fragment'));
  return errors;
}

function validateAudiences({ audiences = [], audienceMatchPolicy = '' }: IssuerConfig, at: string): FieldError[] {
  if (audiences.length === 0) return [required(`${at}.audiences`, `at least one ${at}.audiences is required`)];
  const errors = audiences.flatMap((audience, index): FieldError[] => {
    const path = `${at}.audiences[${index}]`;
    if (audience === '') return [required(path)];
    return audiences.indexOf(audience) < index ? [duplicate(path, audience)] : [];
  });
  const wrong = (detail: string): void => void errors.push(invalid(`${at}.audienceMatchPolicy`, audienceMatchPolicy, detail));
  if (audiences.length > 1 && audienceMatchPolicy !== MATCH_ANY) wrong('audienceMatchPolicy must be MatchAny for multiple audiences');
  if (audiences.length === 1 && !['', MATCH_ANY].includes(audienceMatchPolicy)) {
    wrong('audienceMatchPolicy must be empty or MatchAny for single audience');
  }
  return errors;
}

function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
