import { listMetaSchema } from '../../apimachinery/meta/list-meta.schema.js';
import { objectMetaSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, string, struct, typeMetaFields } from '../../apimachinery/schema/type-builders.js';

const API = 'io.k8s.api.apidiscovery.v2';

const responseKind = struct({
  goName: 'GroupVersionKind',
  openapiName: 'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionKind',
  description: 'Kind of the returned objects; an empty group or version is that of the enclosing entry.',
  fields: [
    requiredField('group', 1, string(), 'Group.'),
    requiredField('version', 2, string(), 'Version.'),
    requiredField('kind', 3, string(), 'Kind.'),
  ],
});

const subresourceDiscovery = struct({
  goName: 'APISubresourceDiscovery',
  openapiName: `${API}.APISubresourceDiscovery`,
  description: 'A subresource.',
  fields: [
    requiredField('subresource', 1, string(), 'Its name.'),
    field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
    requiredField('verbs', 4, list(string()), 'Supported verbs.'),
  ],
});

const resourceDiscovery = struct({
  goName: 'APIResourceDiscovery',
  openapiName: `${API}.APIResourceDiscovery`,
  description: 'A resource and its supported verbs.',
  fields: [
    requiredField('resource', 1, string(), 'Plural name.'),
    field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
    requiredField('scope', 3, string(), 'Cluster or Namespaced.'),
    requiredField('singularResource', 4, string(), 'Singular name.'),
    requiredField('verbs', 5, list(string()), 'Supported verbs.'),
    field('shortNames', 6, list(string()), 'omitEmpty', 'Short names for use on the command line.'),
    field('categories', 7, list(string()), 'omitEmpty', 'Categories, such as all, that the resource belongs to.'),
    field('subresources', 8, list(subresourceDiscovery), 'omitEmpty', 'Its subresources.'),
  ],
});

const versionDiscovery = struct({
  goName: 'APIVersionDiscovery',
  openapiName: `${API}.APIVersionDiscovery`,
  description: 'A version of a group and its resources.',
  fields: [
    requiredField('version', 1, string(), 'The version.'),
    field('resources', 2, list(resourceDiscovery), 'omitEmpty', 'Its resources.'),
    field('freshness', 3, string(), 'omitEmpty', 'Current or Stale.'),
  ],
});

const groupDiscovery = struct({
  goName: 'APIGroupDiscovery',
  openapiName: `${API}.APIGroupDiscovery`,
  description: 'A group and its versions, preferred first.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Its name.'),
    field('versions', 2, list(versionDiscovery), 'omitEmpty', 'Its versions.'),
  ],
});

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList. */
export const aggregatedDiscoverySchema = struct({
  goName: 'APIGroupDiscoveryList',
  openapiName: `${API}.APIGroupDiscoveryList`,
  description: 'All groups, versions and resources in one document.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, listMetaSchema, 'always', 'Metadata of the list.'),
    requiredField('items', 2, list(groupDiscovery), 'The groups.'),
  ],
});
