/** Part of the page's script: what makes the examples work from top to bottom. */
export const WORKING_EXAMPLES = `/** The resource of an operation, and its place among the resource's operations: an object is created, used, and deleted. */
const placeOf = (operation) => {
  const [path, method] = [operation.get('path'), operation.get('method')];
  const [, part] = /\\{name\\}(\\/.+)?$/.exec(path) ?? [];
  const whole = path.endsWith('{name}') ? { get: 3, patch: 4, put: 5, delete: 7 } : { get: 1, post: 2, delete: 8 };
  return {
    resource: path.replace('/watch/', '/').replace('/namespaces/{namespace}/', '/').replace(/\\/\\{name\\}.*$/, ''),
    step: path.includes('/watch/') ? 9 : part === undefined ? whole[method] : 6,
    path,
  };
};
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
const byPlace = (first, second) => {
  const [one, other] = [placeOf(first), placeOf(second)];
  return compare(one.resource, other.resource) || compare(one.step, other.step) || compare(one.path, other.path);
};

/** The resourceVersions that were read, by the path of the object: a replacement sends the one that it replaces. */
const versions = new Map();
const pathOf = (url) => new URL(url, location.href).pathname;
const rememberVersion = (response) => {
  const { name, resourceVersion } = response.obj?.metadata ?? {};
  const path = pathOf(response.url);
  if (name && resourceVersion) versions.set(path.endsWith('/' + name) ? path : path + '/' + name, resourceVersion);
  return response;
};
const addVersion = (request) => {
  const path = pathOf(request.url);
  if (request.method === 'DELETE') versions.delete(path);
  const version = versions.get(path);
  const isWithout = typeof request.body === 'string' && !request.body.includes('resourceVersion');
  if (request.method !== 'PUT' || version === undefined || !isWithout) return request;
  request.body = request.body
    .replace(/"metadata": *\\{/, '$&"resourceVersion":"' + version + '",')
    .replace(/^metadata:$/m, '$&\\n  resourceVersion: "' + version + '"');
  return request;
};
const workingExamples = { operationsSorter: byPlace, requestInterceptor: addVersion, responseInterceptor: rememberVersion };
`;
