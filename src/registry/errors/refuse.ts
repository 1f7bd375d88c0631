import { methodNotAllowed } from '../../apimachinery/errors/status-errors.js';

/** A verb of a store that no route reaches. */
export function refuse(): Promise<never> {
  return Promise.reject(methodNotAllowed());
}
