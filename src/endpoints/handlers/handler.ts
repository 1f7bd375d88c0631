import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../request/request-scope.js';

/** Serves one verb of one resource and version. A rejection is answered by the caller; a promise that fulfils means: answered. */
export type Handler = (scope: RequestScope, request: ApiRequest) => Promise<void>;
