import { type FieldError, invalid, notSupported, TypedString } from '../../apimachinery/errors/field-error.js';
import { validateQualifiedName } from '../../apimachinery/validation/names.js';

/** The one strategy that needs no prefix. */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

/** Upstream's helper appends the field's name to a path that already ends in it. */
const FIELD = 'spec.strategy.strategy';

/** How a leader is chosen: a known name, or a qualified one (`example.com/custom`) that another program implements. */
export function validateLeaseStrategy(strategy: string, field: string = FIELD): FieldError[] {
  const shown = new TypedString(strategy);
  if (strategy.includes('/')) return validateQualifiedName(strategy).map((message) => invalid(field, shown, message));
  return strategy === OLDEST_EMULATION_VERSION ? [] : [notSupported(field, shown, [OLDEST_EMULATION_VERSION])];
}
