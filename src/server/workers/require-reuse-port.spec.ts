import { requireReusePort } from './require-reuse-port.js';

test.each(['22.12.0', '22.20.1', '23.1.0', '24.0.0'])('Node %s can share a port on Linux', (version) => {
  expect(() => requireReusePort('linux', version)).not.toThrow();
});

test.each([
  ['linux', '20.19.0'],
  ['linux', '22.11.0'],
  ['linux', '23.0.0'],
  ['darwin', '24.0.0'],
])('%s with Node %s is refused', (platform, version) => {
  expect(() => requireReusePort(platform, version)).toThrow(
    `more than one worker (--workers) needs Linux and Node.js 22.12 or 23.1; this is ${platform} with Node.js ${version}`,
  );
});
