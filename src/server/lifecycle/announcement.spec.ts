import { announcement, localUrl } from './announcement.js';

test.each([
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['127.0.0.2', 'https://127.0.0.2:6443'],
  ['::1', 'https://[::1]:6443'],
])('a server bound to %s is told to be at %s', (address, url) => expect(localUrl(address, 6443)).toBe(url));

const announced = {
  url: 'https://127.0.0.1:1',
  kubeconfig: '/a/b.kubeconfig',
  database: 'd at h:5432, schema s',
  bindAddress: '127.0.0.1',
  authorizationMode: ['AlwaysAllow'],
  swaggerUi: true,
  ui: true,
};

test('the lines to try can be pasted into a shell whatever the path holds', () => {
  expect(announcement(announced)).toContain('\n  export KUBECONFIG=/a/b.kubeconfig\n  kubectl get leases -A -w\n');
  expect(announcement({ ...announced, kubeconfig: "/it's here/b" })).toContain("export KUBECONFIG='/it'\\''s here/b'\n");
});

test('it says who reaches the server, who may do what, and where the data is', () => {
  const open = announcement(announced);
  expect(open).toContain('listening:  at 127.0.0.1 only');
  expect(open).toContain('may do everything');
  expect(open).toContain('database:   d at h:5432, schema s');
  expect(open).toContain('https://127.0.0.1:1/swagger');
  expect(open).toContain('https://127.0.0.1:1/ui/');
  const closed = announcement({ ...announced, bindAddress: '::', authorizationMode: ['Node', 'RBAC'], swaggerUi: false, ui: false });
  expect(closed).toContain('at every address of this machine (::)');
  expect(closed).toContain('access:     by Node, RBAC');
  expect(closed).not.toMatch(/swagger|ui\//);
});
