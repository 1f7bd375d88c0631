import { formatKubeconfig, parseKubeconfig } from './admin-kubeconfig.js';

test('a kubeconfig gives back what it was made of, and nothing else does', () => {
  const options = { server: 'https://127.0.0.1:6443', authorityCert: '-----BEGIN CERTIFICATE-----\n', token: 'secret' };
  expect(parseKubeconfig(formatKubeconfig(options))).toEqual(options);
  for (const text of ['', 'null', '[]', '{', 'clusters: 1', 'clusters: [{cluster: {server: 1}}]']) {
    expect(parseKubeconfig(text)).toBeUndefined();
  }
});
