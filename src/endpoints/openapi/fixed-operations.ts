import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { field, requiredField, string, struct } from '../../apimachinery/schema/struct-type.js';
import { documentSchema } from '../discovery/document-writer.js';
import { CONFIGURATION_PATH, CONFIGURATION_TYPE, JWKS_PATH, JWKS_TYPE } from '../openid/openid.controller.js';
import { type ApiOperation, capital, operationGroup } from './api-operation.js';
import { OBJECT_MEDIA } from './resource-operations.js';

const versionInfo = struct('io.k8s.apimachinery.pkg.version.Info', 'Version information of the server and its API.', [
  requiredField('major', 0, string(), 'Major version of the API.'),
  requiredField('minor', 0, string(), 'Minor version of the API.'),
  field('emulationMajor', 0, string(), 'omitEmpty', 'Major version that the server emulates.'),
  field('emulationMinor', 0, string(), 'omitEmpty', 'Minor version that the server emulates.'),
  field('minCompatibilityMajor', 0, string(), 'omitEmpty', 'Major version of the oldest compatible clients and servers.'),
  field('minCompatibilityMinor', 0, string(), 'omitEmpty', 'Minor version of the oldest compatible clients and servers.'),
  requiredField('gitVersion', 0, string(), 'Version of the API and of this server.'),
  requiredField('gitCommit', 0, string(), 'Commit of the build.'),
  requiredField('gitTreeState', 0, string(), 'Whether the source tree was clean at build time.'),
  requiredField('buildDate', 0, string(), 'Time of the build.'),
  requiredField('goVersion', 0, string(), 'Present for compatibility.'),
  requiredField('compiler', 0, string(), 'Runtime.'),
  requiredField('platform', 0, string(), 'Operating system and architecture.'),
]);

/** The operation by which a document is read; `kind` is that of the document. */
function documentOperation(path: string, kind: string, described: Pick<ApiOperation, 'id' | 'tag' | 'description'>): ApiOperation {
  const media = { consumes: OBJECT_MEDIA, produces: OBJECT_MEDIA };
  return { ...described, ...media, path, method: 'get', parameters: [], codes: [200], responseSchema: documentSchema({ kind }) };
}

export const coreVersionsOperation = documentOperation('/api/', 'APIVersions', {
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'The versions of the core group.',
});

export const groupListOperation = documentOperation('/apis/', 'APIGroupList', {
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'The API groups of the server.',
});

export const versionOperation: ApiOperation = {
  id: 'getCodeVersion',
  path: '/version/',
  tag: 'version',
  description: 'The version of the server.',
  method: 'get',
  parameters: [],
  consumes: ['application/json'],
  produces: ['application/json'],
  codes: [200],
  responseSchema: versionInfo,
};

export function groupOperation(group: string): ApiOperation {
  const { idPart, tag } = operationGroup(group, '');
  const description = 'The versions of the group.';
  return documentOperation(`/apis/${group}/`, 'APIGroup', { id: `get${idPart}APIGroup`, tag, description });
}

export function groupVersionOperation(group: string, version: string): ApiOperation {
  const { idPart, tag } = operationGroup(group, version);
  const path = `${group === '' ? '/api' : '/apis'}/${groupVersion(group, version)}/`;
  const description = 'The resources of the group version.';
  return documentOperation(path, 'APIResourceList', { id: `get${idPart}APIResources`, tag, description });
}

const TEXT = ['text/plain'];

function healthOperation(name: string, description: string): ApiOperation {
  const verbose = { name: 'verbose', in: 'query', type: 'string', description: 'List every check even if all pass.' } as const;
  const exclude = { name: 'exclude', in: 'query', type: 'string', description: 'Name of a check to exclude.' } as const;
  return {
    id: `get${capital(name)}`,
    method: 'get',
    path: `/${name}`,
    tag: 'health',
    description,
    parameters: [verbose, exclude],
    consumes: TEXT,
    produces: TEXT,
    codes: [200],
  };
}

/** The health endpoints, which only the document for human readers contains. */
export const HEALTH_OPERATIONS: readonly ApiOperation[] = [
  healthOperation('livez', 'Whether the process is alive.'),
  healthOperation('readyz', 'Whether the server is ready to serve requests.'),
  healthOperation('healthz', 'Deprecated: use readyz.'),
];

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
