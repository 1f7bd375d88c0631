import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { field, requiredField, string, struct } from '../../apimachinery/schema/type-builders.js';
import { documentSchema } from '../discovery/document-schemas.js';
import { type ApiOperation, operationGroup } from './api-operation.js';
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

type Document = Pick<ApiOperation, 'id' | 'path' | 'tag' | 'description' | 'responseSchema'>;

function documentOperation(document: Document, media: readonly string[]): ApiOperation {
  return { ...document, method: 'get', parameters: [], consumes: media, produces: media, codes: [200] };
}

export const coreVersionsOperation = documentOperation({ id: 'getCoreAPIVersions', path: '/api/', tag: 'core', description: 'The versions of the core group.', responseSchema: documentSchema({ kind: 'APIVersions' }) }, OBJECT_MEDIA);

export const groupListOperation = documentOperation({ id: 'getAPIVersions', path: '/apis/', tag: 'apis', description: 'The API groups of the server.', responseSchema: documentSchema({ kind: 'APIGroupList' }) }, OBJECT_MEDIA);

export const versionOperation = documentOperation({ id: 'getCodeVersion', path: '/version/', tag: 'version', description: 'The version of the server.', responseSchema: versionInfo }, ['application/json']);

export function groupOperation(group: string): ApiOperation {
  const { idPart, tag } = operationGroup(group, '');
  return documentOperation({ id: `get${idPart}APIGroup`, path: `/apis/${group}/`, tag: tag, description: 'The versions of the group.', responseSchema: documentSchema({ kind: 'APIGroup' }) }, OBJECT_MEDIA);
}

export function groupVersionOperation(group: string, version: string): ApiOperation {
  const { idPart, tag } = operationGroup(group, version);
  const path = `${group === '' ? '/api' : '/apis'}/${groupVersion(group, version)}/`;
  return documentOperation({ id: `get${idPart}APIResources`, path: path, tag: tag, description: 'The resources of the group version.', responseSchema: documentSchema({ kind: 'APIResourceList' }) }, OBJECT_MEDIA);
}
