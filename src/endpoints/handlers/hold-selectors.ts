import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { selectorBytes } from '../ledger/held-objects.js';
import type { ApiRequest } from '../request/api-request.js';

/** Charges what the selectors of a list or watch become. Throws the 429 if the client's connection already holds too much. */
export function holdSelectors(request: ApiRequest, { labelSelector, fieldSelector, shardSelector }: ListOptions): void {
  const bytes = selectorBytes(labelSelector, fieldSelector, shardSelector);
  if (bytes > 0) request.hold(bytes);
}
