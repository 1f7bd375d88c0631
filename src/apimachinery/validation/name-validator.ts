import { validateConfigMapKey } from './config-map-key.js';
import { validateDnsLabel, validateDnsSubdomain } from './dns-names.js';

/**
 * Checks an object's name; answers the messages of all rules broken, none when it is fine. With `prefix` the name is a
 * generateName, to which a suffix will be added (apimachinery pkg/api/validation NameIsDNSSubdomain and its siblings).
 */
export type NameValidator = (name: string, prefix: boolean) => readonly string[];

export function nameIsDnsSubdomain(name: string, prefix: boolean): readonly string[] {
  return validateDnsSubdomain(prefix ? maskTrailingDash(name) : name);
}

export function nameIsDnsLabel(name: string, prefix: boolean): readonly string[] {
  return validateDnsLabel(prefix ? maskTrailingDash(name) : name);
}

/** As LeaseCandidates are named: upper case and `_` are fine, and a prefix has no rules of its own. */
export function nameIsConfigMapKey(name: string): readonly string[] {
  return validateConfigMapKey(name);
}

/** Upstream drops the last two bytes, not one, before it adds a letter (pkg/api/validation/generic.go). */
function maskTrailingDash(name: string): string {
  return name.endsWith('-') ? name.replace(/\p{ASCII}-$/u, 'a') : name;
}
