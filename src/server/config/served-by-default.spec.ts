import { expect, test } from '@jest/globals';
import { loadConfig } from './load-config.js';
import { servedByDefault } from './served-by-default.js';

const HISTORY = 'history.coordination-apiserver.dev/v1';
const URL = 'postgresql://host/database';

const CASES: [flags: Record<string, string>, environment: Record<string, string>, expected: string[]][] = [
  [{}, {}, [`${HISTORY}=true`]],
  [{ 'runtime-config': 'coordination.k8s.io/v1beta1=false' }, {}, ['coordination.k8s.io/v1beta1=false', `${HISTORY}=true`]],
  [{ 'runtime-config': `${HISTORY}=false` }, {}, [`${HISTORY}=false`]],
  [{ 'runtime-config': `${HISTORY}/leaseterms=false` }, {}, [`${HISTORY}/leaseterms=false`]],
  [{ 'runtime-config': 'api/all=false' }, {}, ['api/all=false']],
  [{ 'database-url': URL }, {}, []],
  [{}, { PGHOST: 'host' }, []],
];
test.each(CASES)('%j and %j serve %j', (flags, environment, expected) => {
  expect(servedByDefault(loadConfig({ flags, environment }), environment)).toEqual(expected);
});
