import { X509Certificate } from 'node:crypto';
import { type FieldError, duplicate, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { IssuerConfig } from './jwt-authenticator-config.js';

const MATCH_ANY = 'MatchAny';

/** Validates an issuer (apiserver pkg/apis/apiserver/validation). `taken`: issuers whose tokens are verified elsewhere. */
export function validateIssuer(issuer: IssuerConfig, at: string, taken: readonly string[]): FieldError[] {
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
