import { hostname } from 'node:os';
import { ProcessSettings } from './process.settings.js';
import { bindAddress, localUrl, publicHost } from './server-address.js';
import { defaultSettings } from './server-settings.js';

test.each([
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['127.0.0.2', 'https://127.0.0.2:6443'],
  ['::1', 'https://[::1]:6443'],
])('a client on this machine reaches a server bound to %s at %s', (address, url) => expect(localUrl(address, 6443)).toBe(url));

test.each([
  ['', [], hostname()],
  ['::', [], hostname()],
  ['10.0.0.1', [], '10.0.0.1'],
  ['fd00::1', [], '[fd00::1]'],
  ['10.0.0.1', ['leases.example', 'other.example'], 'leases.example'],
])('other machines know a server bound to "%s" with the names %j as %s', (address, tlsSan, host) =>
  expect(publicHost(Object.assign(new ProcessSettings(), { bindAddress: address, tlsSan }))).toBe(host),
);

test.each([
  ['', {}, '127.0.0.1'],
  ['', { PGHOST: 'db' }, '0.0.0.0'],
  ['10.0.0.1', {}, '10.0.0.1'],
])('--bind-address "%s" and the environment %j make a server listen at %s', (given, environment, address) =>
  expect(bindAddress({ ...defaultSettings(), bindAddress: given }, environment)).toBe(address),
);
