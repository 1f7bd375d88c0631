import { localUrl } from './local-url.js';

test.each([
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['127.0.0.2', 'https://127.0.0.2:6443'],
  ['::1', 'https://[::1]:6443'],
])('a client on this machine reaches a server bound to %s at %s', (address, url) => expect(localUrl(address, 6443)).toBe(url));
