import { formatKubeconfig, parseKubeconfig } from './admin-kubeconfig.js';

test('a generated kubeconfig can be parsed, and other files are not accepted', () => {
  const options = { server: 'https://127.0.0.1:6443', authorityCert: '-----BEGIN CERTIFICATE-----\n', token: 'secret' };
  expect(parseKubeconfig(formatKubeconfig(options))).toEqual(options);
  for (const text of ['', 'null', '[]', '{', 'clusters: 1', 'clusters: [{cluster: {server: 1}}]']) {
    expect(parseKubeconfig(text)).toBeUndefined();
  }
});
