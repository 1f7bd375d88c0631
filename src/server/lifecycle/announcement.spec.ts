import { announcement, localUrl } from './announcement.js';

test.each([
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['127.0.0.2', 'https://127.0.0.2:6443'],
  ['::1', 'https://[::1]:6443'],
])('a server bound to %s is told to be at %s', (address, url) => expect(localUrl(address, 6443)).toBe(url));

test('the line to try can be pasted into a shell whatever the path holds', () => {
  expect(announcement('https://127.0.0.1:1', '/a/b.kubeconfig')).toContain('kubectl --kubeconfig /a/b.kubeconfig get');
  expect(announcement('https://127.0.0.1:1', "/it's here/b")).toContain("kubectl --kubeconfig '/it'\\''s here/b' get");
});
