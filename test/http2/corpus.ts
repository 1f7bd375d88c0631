import { COMPRESSION } from './corpus/compression.js';
import { CONNECTION } from './corpus/connection.js';
import { FLOODS } from './corpus/floods.js';
import { FLOW_CONTROL } from './corpus/flow-control.js';
import { REQUESTS } from './corpus/requests.js';
import { STREAMS } from './corpus/streams.js';
import { type Example, type Sequence, NOT_RANDOM } from './sequence.js';

/** All named sequences. */
export const CORPUS = new Map<string, Example>(
  [CONNECTION, STREAMS, REQUESTS, COMPRESSION, FLOW_CONTROL, FLOODS].flatMap((examples) => Object.entries(examples)),
);

/** A sequence of the corpus by name. */
export function namedSequence(name: string, { bare = false, brief = false, steps }: Example): Sequence {
  return { name, first: 1, bare, brief, steps: steps(1, NOT_RANDOM) };
}
