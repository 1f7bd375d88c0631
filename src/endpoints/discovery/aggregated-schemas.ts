import { listMetaSchema, objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, string, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';

const API = 'io.k8s.api.apidiscovery.v2';

const responseKind = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionKind',
  'Kind of the returned objects; an empty group or version is that of the enclosing entry.',
  [
    requiredField('group', 1, string(), 'Group.'),
    requiredField('version', 2, string(), 'Version.'),
    requiredField('kind', 3, string(), 'Kind.'),
  ],
);

const subresourceDiscovery = struct(`${API}.APISubresourceDiscovery`, 'A subresource.', [
  requiredField('subresource', 1, string(), 'Its name.'),
  field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
  requiredField('verbs', 4, list(string()), 'Supported verbs.'),
]);

const resourceDiscovery = struct(`${API}.APIResourceDiscovery`, 'A resource and its supported verbs.', [
  requiredField('resource', 1, string(), 'Plural name.'),
  field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
  requiredField('scope', 3, string(), 'Cluster or Namespaced.'),
  requiredField('singularResource', 4, string(), 'Singular name.'),
  requiredField('verbs', 5, list(string()), 'Supported verbs.'),
  field('shortNames', 6, list(string()), 'omitEmpty', 'Short names for use on the command line.'),
  field('categories', 7, list(string()), 'omitEmpty', 'Categories, such as all, that the resource belongs to.'),
  field('subresources', 8, list(subresourceDiscovery), 'omitEmpty', 'Its subresources.'),
]);

const versionDiscovery = struct(`${API}.APIVersionDiscovery`, 'A version of a group and its resources.', [
  requiredField('version', 1, string(), 'The version.'),
  field('resources', 2, list(resourceDiscovery), 'omitEmpty', 'Its resources.'),
  field('freshness', 3, string(), 'omitEmpty', 'Current or Stale.'),
]);

const groupDiscovery = struct(`${API}.APIGroupDiscovery`, 'A group and its versions, preferred first.', [
  ...objectFields('Its name.'),
  field('versions', 2, list(versionDiscovery), 'omitEmpty', 'Its versions.'),
]);

export const aggregatedDiscoverySchema = struct(`${API}.APIGroupDiscoveryList`, 'All groups, versions and resources in one document.', [
  ...typeMetaFields(),
  field('metadata', 1, listMetaSchema, 'always', 'Metadata of the list.'),
  requiredField('items', 2, list(groupDiscovery), 'The groups.'),
]);
