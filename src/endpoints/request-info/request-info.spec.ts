import { parseQuery, parseRequestUrl } from './query.js';
import { parseRequestInfo, UndeterminedRequestError } from './request-info.js';

const G = '/apis/coordination.k8s.io/v1';

function info(method: string, target: string) {
  const url = parseRequestUrl(target);
  if (!url) throw new Error('a bad target');
  const { verb, namespace, resource, name, subresource, isResourceRequest } = parseRequestInfo(method, url, () => parseQuery(url.rawQuery));
  return isResourceRequest ? `${verb} ${resource}/${subresource} ${namespace}/${name}` : `${verb} ${url.path}`;
}

describe('parseRequestInfo', () => {
  it.each([
    ['GET', `${G}/namespaces/ns/leases/x`, 'get leases/ ns/x'],
    ['GET', `${G}/namespaces/ns/leases/x/status`, 'get leases/status ns/x'],
    ['GET', `${G}/namespaces/ns/leases`, 'list leases/ ns/'],
    ['GET', `${G}/leases`, 'list leases/ /'],
    ['HEAD', `${G}/leases`, 'list leases/ /'],
    ['POST', `${G}/namespaces/ns/leases`, 'create leases/ ns/'],
    ['PUT', `${G}/namespaces/ns/leases/x`, 'update leases/ ns/x'],
    ['PATCH', `${G}/namespaces/ns/leases/x`, 'patch leases/ ns/x'],
    ['DELETE', `${G}/namespaces/ns/leases/x`, 'delete leases/ ns/x'],
    ['DELETE', `${G}/namespaces/ns/leases`, 'deletecollection leases/ ns/'],
    ['FOO', `${G}/leases`, ' leases/ /'],
    ['GET', '/api/v1/namespaces', 'list namespaces/ /'],
    ['GET', '/api/v1/namespaces/ns', 'get namespaces/ ns/ns'],
    ['PUT', '/api/v1/namespaces/ns/finalize', 'update namespaces/finalize ns/ns'],
    ['GET', '/api/v1/namespaces/ns/pods', 'list pods/ ns/'],
    ['GET', `${G}/watch/namespaces/ns/leases/x`, 'watch leases/ ns/x'],
    ['GET', `${G}/watch/leases`, 'watch leases/ /'],
    ['GET', `${G}/watch/namespaces/ns/leases/x/status`, 'watch leases/status ns/x'],
    ['GET', `${G}/proxy/namespaces/ns/leases/x/status`, 'proxy leases/ ns/x'],
    ['GET', `${G}/namespaces//leases`, 'list leases/ /'],
    ['GET', '/apis/nope.example.com/v9/things/a', 'get things/ /a'],
  ])('%s %s is %s', (method, target, expected) => {
    expect(info(method, target)).toBe(expected);
  });

  it.each([
    ['GET', G],
    ['POST', '/apis/coordination.k8s.io'],
    ['GET', '/api/v1'],
    ['GET', '/healthz/ping/x/y'],
    ['GET', '/'],
  ])('%s %s is not a resource request', (method, target) => {
    expect(info(method, target)).toBe(`${method.toLowerCase()} ${target}`);
  });

  it.each(['watch', 'watch=', 'watch=no', 'watch=00', 'watch=true&watch=false'])('?%s is a watch', (query) => {
    expect(info('GET', `${G}/leases?${query}`)).toBe('watch leases/ /');
  });

  it.each(['watch=0', 'watch=false', 'watch=FALSE', 'watch=0&watch=1', 'notwatch=1'])('?%s is a list', (query) => {
    expect(info('GET', `${G}/leases?${query}`)).toBe('list leases/ /');
  });

  it.each([
    ['metadata.name=x', 'x'],
    ['metadata.name==x', 'x'],
    ['status=a,metadata.name=x', 'x'],
    ['metadata.name!=x', ''],
    ['metadata.name=', ''],
    ['metadata.name=a/b', ''],
    ['metadata.name=..', ''],
  ])('the field selector %s selects the name "%s"', (selector, name) => {
    const target = `${G}/namespaces/ns/leases?fieldSelector=${encodeURIComponent(selector)}`;
    expect(info('GET', target)).toBe(`list leases/ ns/${name}`);
    expect(info('DELETE', target)).toBe('deletecollection leases/ ns/');
  });

  it.each(['limit=x', 'timeoutSeconds=', 'labelSelector=a%20b'])('no name is selected if %s is malformed', (parameter) => {
    expect(info('GET', `${G}/namespaces/ns/leases?fieldSelector=metadata.name=x&${parameter}`)).toBe('list leases/ ns/');
    expect(info('GET', `${G}/namespaces/ns/leases?fieldSelector=metadata.name=x&watch=1&${parameter}`)).toBe('watch leases/ ns/');
  });

  it('refuses a special verb that is not followed by a path', () => {
    expect(() => info('GET', `${G}/watch`)).toThrow(UndeterminedRequestError);
  });
});
