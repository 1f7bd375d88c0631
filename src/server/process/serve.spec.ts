import { StartProgress, startBanner } from './serve.js';

const facts = {
  url: 'https://127.0.0.1:1',
  kubeconfig: '/a/b.kubeconfig',
  isFound: true,
  database: 'd at h:5432, schema s',
  bindAddress: '127.0.0.1',
  authorizationMode: ['AlwaysAllow'],
  swaggerUi: true,
  ui: true,
};

test('quotes the kubeconfig path where the shell needs it', () => {
  expect(startBanner(facts)).toContain('\n  export KUBECONFIG=/a/b.kubeconfig\n  kubectl get leases -A -w\n');
  expect(startBanner({ ...facts, kubeconfig: "/it's here/b" })).toContain("export KUBECONFIG='/it'\\''s here/b'\n");
});

test('in a container shows how users outside of it get a kubeconfig', () => {
  const banner = startBanner({ ...facts, kubeconfigCommand: 'docker exec it kubeconfig' });
  expect(banner).toContain('kubeconfig: /a/b.kubeconfig, in this container\n');
  expect(banner).toContain('\n  docker exec it kubeconfig > admin.kubeconfig\n  kubectl --kubeconfig admin.kubeconfig get leases -A -w\n');
  expect(banner).not.toMatch(/export|`/);
});

test('shows the listening address, the access rules and the database', () => {
  const open = startBanner(facts);
  expect(open).toContain('listening:  only on 127.0.0.1');
  expect(open).toContain('full access');
  expect(open).toContain('database:   d at h:5432, schema s');
  expect(open).toContain('https://127.0.0.1:1/swagger');
  expect(open).toContain('https://127.0.0.1:1/ui/');
  // These tests run in a clone.
  expect(open).toContain('`./coordination-apiserver ui` serves it');
  // where `ui` would find another server, or none
  expect(startBanner({ ...facts, isFound: false })).toContain('`./coordination-apiserver ui --kubeconfig /a/b.kubeconfig` serves it');
  const closed = startBanner({ ...facts, bindAddress: '::', authorizationMode: ['Node', 'RBAC'], swaggerUi: false, ui: false });
  expect(closed).toContain('on all interfaces (::)');
  expect(closed).toContain('access:     as --authorization-mode=Node,RBAC allows');
  expect(closed).not.toMatch(/swagger|ui\//);
});

test('on a terminal the current step of the start is shown, and removed at the end', () => {
  let drawn = '';
  const progress = new StartProgress(true, (text) => (drawn += text));
  expect(drawn).toBe('\rstarting ... 0 s\u001b[K');
  progress.report('opening the database');
  expect(drawn).toContain('\ropening the database ... 0 s\u001b[K');
  progress.end();
  progress.report('serving');
  expect(drawn.endsWith('\r\u001b[K')).toBe(true);
});

test('without a terminal nothing is shown', () => {
  let drawn = '';
  const progress = new StartProgress(false, (text) => (drawn += text));
  progress.report('opening the database');
  progress.end();
  expect(drawn).toBe('');
});
