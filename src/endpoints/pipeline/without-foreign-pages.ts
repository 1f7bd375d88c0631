import { forbiddenPage } from '../../apimachinery/errors/status-errors.js';
import { isFromForeignPage } from '../request/foreign-page.js';
import type { ErrorWriter } from '../response/error-writer.js';
import type { Filter } from './filter.js';

/** Refuses pages of other sites that use what the browser adds by itself: 403. */
export function withoutForeignPages(allowedOrigins: ReadonlySet<string>, errors: ErrorWriter): Filter {
  return (next) => (request) => {
    if (isFromForeignPage(request, allowedOrigins)) errors.refuse(request, forbiddenPage());
    else next(request);
  };
}
