import { CONFIGURATION_PATH, CONFIGURATION_TYPE, JWKS_PATH, JWKS_TYPE } from '../openid/openid-documents.js';
import type { ApiOperation } from './api-operation.js';

function openIdOperation(path: string, mediaType: string, described: Pick<ApiOperation, 'id' | 'tag' | 'description'>): ApiOperation {
  return { ...described, path: `${path}/`, method: 'get', parameters: [], consumes: [], produces: [mediaType], codes: [200] };
}

/** The documents by which others verify tokens of service accounts. */
export const OPENID_OPERATIONS: readonly ApiOperation[] = [
  openIdOperation(CONFIGURATION_PATH, CONFIGURATION_TYPE, {
    id: 'getServiceAccountIssuerOpenIDConfiguration',
    tag: 'WellKnown',
    description: 'URL of the keys that verify service account tokens.',
  }),
  openIdOperation(JWKS_PATH, JWKS_TYPE, {
    id: 'getServiceAccountIssuerOpenIDKeyset',
    tag: 'openid',
    description: 'The keys that verify service account tokens.',
  }),
];
