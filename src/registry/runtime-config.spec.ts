import { leaseCandidateDefinition } from '../apis/coordination/lease-candidate/lease-candidate.resource.js';
import { leaseDefinition } from '../apis/coordination/lease/lease.resource.js';
import { namespaceDefinition } from '../apis/core/namespace/namespace.resource.js';
import { leaseTermDefinition } from '../apis/history/lease-term/lease-term.resource.js';
import { RuntimeConfig } from './runtime-config.js';

/** The served versions: `leases v1`, and so on. */
function served(...entries: string[]): string[] {
  const config = new RuntimeConfig(entries);
  const definitions = [namespaceDefinition, leaseDefinition, leaseCandidateDefinition, leaseTermDefinition].map((definition) =>
    config.apply(definition as never),
  );
  config.refuseUnknown();
  return definitions.flatMap(({ resource, versions }) => versions.map(({ name }) => `${resource} ${name}`));
}

const EVERYTHING = [
  'namespaces v1',
  'leases v1',
  'leasecandidates v1beta1',
  'leasecandidates v1alpha2',
  'leasecandidates v1alpha1',
  'leaseterms v1',
];
const without = (...names: string[]) => EVERYTHING.filter((name) => !names.includes(name));

describe('--runtime-config', () => {
  test.each<[string, string[], string[]]>([
    ['nothing', [], EVERYTHING],
    ['a version off', ['coordination.k8s.io/v1alpha1=false'], without('leasecandidates v1alpha1')],
    ['a version on', ['coordination.k8s.io/v1alpha1', 'coordination.k8s.io/v1beta1=true'], EVERYTHING],
    ['alpha off', ['api/alpha=false'], without('leasecandidates v1alpha1', 'leasecandidates v1alpha2')],
    ['beta off', ['api/beta=false'], without('leasecandidates v1beta1')],
    ['all off', ['api/all=false'], []],
    ['all off but one', ['api/all=false', 'coordination.k8s.io/v1=true'], ['leases v1']],
    ['all off but what is stable', ['api/ga=true', 'api/all=false'], ['namespaces v1', 'leases v1', 'leaseterms v1']],
    ['the core group off, by either name', ['api/v1=false'], without('namespaces v1')],
    ['one resource of a version', ['coordination.k8s.io/v1beta1/leasecandidates=false'], without('leasecandidates v1beta1')],
    ['everything on', ['api/all=true', 'coordination.k8s.io/v1beta1=true'], EVERYTHING],
    [
      'old leases on, which nothing else switches on',
      ['coordination.k8s.io/v1beta1/leases=true'],
      ['namespaces v1', 'leases v1', 'leases v1beta1', ...EVERYTHING.slice(2)],
    ],
    ['what the original lacks off', ['history.coordination-apiserver.dev/v1=false'], without('leaseterms v1')],
    [
      'alone by its own name',
      ['api/ga=false', 'history.coordination-apiserver.dev/v1/leaseterms=true'],
      without('namespaces v1', 'leases v1'),
    ],
  ])('%s', (_name, entries, expected) => {
    expect(served(...entries)).toEqual(expected);
  });

  test.each([
    ['coordination.k8s.io/v2=true', 'unknown group version "coordination.k8s.io/v2" in --runtime-config'],
    ['v1/leases', 'unknown group version "v1/leases" in --runtime-config'],
    ['api/all=maybe', 'invalid value "api/all=maybe" for --runtime-config: must be GROUP/VERSION=true or =false'],
    ['=true', 'invalid value "=true" for --runtime-config: must be GROUP/VERSION=true or =false'],
  ])('%s is refused in one line', (entry, message) => {
    expect(() => served(entry)).toThrow(message);
  });
});
