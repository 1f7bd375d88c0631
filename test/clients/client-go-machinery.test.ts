import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { buildGoProgram } from './go-programs.js';
import { mustRun } from './run-program.js';
import { describeWith, GO } from './toolchain.js';

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const CBOR = 'application/cbor';

/** The Content-Type of watches for each type. */
const STREAMS: Readonly<Record<string, string>> = {
  [JSON_TYPE]: JSON_TYPE,
  [PROTOBUF]: `${PROTOBUF};stream=watch`,
  [CBOR]: 'application/cbor-seq',
};

describeWith([GO], 'client-go', () => {
  let binary: string;
  let runs = 0;

  beforeAll(async () => {
    binary = await buildGoProgram('machinery');
  }, 600_000);
  const server = forAllTests(() => startServerProcess(), 600_000);

  const machinery = async (command: string, contentType: string, features: NodeJS.ProcessEnv = {}) => {
    const flags = [`--kubeconfig=${path.join(server.dataDir, 'admin.kubeconfig')}`, `--content-type=${contentType}`];
    const env = { KUBE_FEATURE_ClientsAllowCBOR: 'true', ...features };
    const output = await mustRun(binary, [...flags, command, `${command}-${++runs}`], { env });
    expect(output).toMatch(/\ndone\n$/);
    return output.trimEnd().split('\n');
  };

  for (const contentType of [JSON_TYPE, PROTOBUF, CBOR]) {
    test(`writes and reads the same objects in ${contentType}, and gets typed errors`, async () => {
      const lines = await machinery('roundtrip', contentType);
      expect(lines).toEqual(expect.arrayContaining([`sent ${contentType}`, 'listed 1 merged']));
      expect(lines.filter((line) => line.startsWith('received'))).toEqual([`received ${contentType}`]);
    });

    test(`keeps an informer's cache by streaming the list in ${contentType}`, async () => {
      const lines = await machinery('informer', contentType, { KUBE_FEATURE_WatchListClient: 'true' });
      expect(lines).toContain('cached 2');
      expect(lines.filter((line) => line.startsWith('watch'))).toEqual(['watch sendInitialEvents=true']);
      expect(lines).toContain(`received ${STREAMS[contentType]}`);
    });

    test(`keeps an informer's cache by list and watch in ${contentType}`, async () => {
      const lines = await machinery('informer', contentType, { KUBE_FEATURE_WatchListClient: 'false' });
      expect(lines).toContain('cached 2');
      expect(lines.filter((line) => line.startsWith('watch'))).toEqual(['watch sendInitialEvents=']);
    });

    test(`applies configurations with answers in ${contentType}`, async () => {
      const lines = await machinery('apply', contentType);
      expect(lines.slice(0, 4)).toEqual([
        'Apply failed with 1 conflict: conflict with "one": .spec.holderIdentity',
        'holder b',
        'labels map[kept:yes]',
        'unchanged true',
      ]);
      expect(lines).toContain(`received ${contentType}`);
    });

    test(`lists consistent pages in ${contentType}, as of the first page`, async () => {
      expect(await machinery('pages', contentType)).toContain('requests 5 leases 23');
    });
  }

  test('discovers the resources and parses their schemas from protobuf', async () => {
    const lines = await machinery('discovery', JSON_TYPE);
    expect(lines.slice(0, 3)).toEqual([
      'resource coordination.k8s.io/v1 leases [create delete deletecollection get list patch update watch]',
      'definition 7',
      'v3 true',
    ]);
  });
});
