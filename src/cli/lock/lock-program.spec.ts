import path from 'node:path';
import { defaultSettings } from '../../server/config/server-settings.js';
import { blankValue } from '../../settings/setting.js';
import { ADMIN_KUBECONFIG } from '../../server/tls/admin-kubeconfig.js';
import { ownKubeconfig } from './lock-program.js';

test('the kubeconfig that lock finds by itself is the one that a server writes', () => {
  expect(ownKubeconfig({})).toEqual({ file: path.join(defaultSettings().dataDir, ADMIN_KUBECONFIG), isNamed: false });
  expect(ownKubeconfig({ COORDINATION_APISERVER_DATA_DIR: '/data' })).toEqual({
    file: path.join('/data', ADMIN_KUBECONFIG),
    isNamed: true,
  });
});

test('an empty name of the data directory is a problem, in the words of the settings', () => {
  for (const dataDir of ['', ' ']) {
    expect(ownKubeconfig({ COORDINATION_APISERVER_DATA_DIR: dataDir }).problem).toBe(blankValue('COORDINATION_APISERVER_DATA_DIR'));
  }
});
