import { aggregateTexts } from '../../apimachinery/errors/api-error.js';
import { type FieldError, invalid } from '../../apimachinery/errors/field-error.js';
import { quote } from '../../apimachinery/go/go-string.js';
import { validateDnsSubdomain } from '../../apimachinery/validation/names.js';

const FIELD = 'extra.key';
const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Returns why extra values must not be used in constrained impersonation; undefined if they may. */
export function refusedExtra(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const key of Object.keys(extra).sort()) {
    const values = extra[key] ?? [];
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = validateDomainPath(key);
    if (errors.length > 0) {
      return `impersonating an invalid key in extra is not allowed: ${aggregateTexts(errors.map(({ field, body }) => `${field}: ${body}`))}`;
    }
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** `acme.io/foo` (apimachinery util/validation IsDomainPrefixedPath). */
function validateDomainPath(text: string): FieldError[] {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [invalid(FIELD, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  const errors = validateDnsSubdomain(host).map((message) => invalid(FIELD, host, message));
  if (!new RegExp(`^${PATH}$`).test(path)) errors.push(invalid(FIELD, path, `Invalid path (regex used for validation is '${PATH}')`));
  return errors;
}
