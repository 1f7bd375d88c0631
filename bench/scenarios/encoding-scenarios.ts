import { leaseJson } from '../load/lease-json.js';
import { leaseProtobuf } from '../load/lease-protobuf.js';
import type { LeaseWire } from '../load/lease-wire.js';
import { TypescriptGenerator } from '../load/typescript-generator.js';
import type { Scenario, Side, Trial } from './scenario.js';

const SECONDS = 6;

/** Both encodings use the generator that supports both: only their ratio is meaningful. */
const bothEncodings = (measure: (generator: TypescriptGenerator, trial: Trial) => ReturnType<Side['measure']>): Scenario['sides'] => {
  const side = (name: string, wire: LeaseWire): Side => ({ name, measure: (trial) => measure(new TypescriptGenerator(wire), trial) });
  return [side('JSON', leaseJson), side('protobuf', leaseProtobuf)];
};

export const encodingScenarios: readonly Scenario[] = [
  {
    name: 'protobuf',
    load: 'renewals/s, 64 clients, by encoding',
    figure: 'renewals/s',
    better: 'more',
    seconds: SECONDS,
    generator: new TypescriptGenerator().name,
    sides: bothEncodings((generator, { target, seconds }) => generator.renew(target, { clients: 64, seconds })),
  },
  {
    name: 'protobuf-list',
    load: 'lists/s of 5,000 leases, 4 clients, by encoding',
    figure: 'lists/s',
    better: 'more',
    seconds: SECONDS,
    generator: new TypescriptGenerator().name,
    sides: bothEncodings((generator, { target, seconds }) => generator.list(target, { objects: 5000, clients: 4, limit: 0, seconds })),
  },
];
