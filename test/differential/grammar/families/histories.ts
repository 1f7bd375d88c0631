import type { Random } from '../../../fuzz/random.js';
import type { Question } from '../../question.js';
import { asked, LEASES, lease, MERGE } from './asked.js';

/** Versions of the past and the future, those included that are compacted on every server. */
const VERSIONS = [
  '1',
  '2',
  '0',
  '',
  '{{rv:PATH/a}}',
  '{{first-rv:PATH/a}}',
  '{{rv:PATH/b}}',
  '999999999999',
  '9223372036854775807',
  '18446744073709551616',
];

/** Lists, pages and watches of every time, between writes. */
export function histories(random: Random, length: number): Question[] {
  return Array.from({ length }, (_, place) => {
    const name = random.pick(['a', 'b', 'c']);
    if (place < 2 || random.chance(0.2)) return asked('POST', LEASES, { body: lease(place === 0 ? 'a' : name) });
    if (random.chance(0.15)) {
      return asked('PATCH', `${LEASES}/${name}`, { contentType: MERGE, body: { spec: { holderIdentity: String(random.below(9)) } } });
    }
    return random.chance(0.1) ? asked('DELETE', `${LEASES}/${name}`) : read(random);
  });
}

function read(random: Random): Question {
  const version = random.pick(VERSIONS).replace('PATH', LEASES);
  const query: [string, string][] = [['resourceVersion', version]];
  if (random.chance(0.3)) query.push(['resourceVersionMatch', random.pick(['Exact', 'NotOlderThan'])]);
  if (random.chance(0.3)) query.push(['limit', random.pick(['1', '2'])]);
  if (random.chance(0.2)) query.push(['fieldSelector', random.pick(['metadata.name=a', 'metadata.name=none', 'metadata.name!=a'])]);
  if (random.chance(0.15)) query.push(['continue', '{{continue}}']);
  if (random.chance(0.25)) return asked('GET', LEASES, { query: [...query, ['watch', 'true'], ['timeoutSeconds', '1']] });
  return asked('GET', random.chance(0.2) ? `${LEASES}/a` : LEASES, { query: query.slice(random.below(10) === 0 ? 1 : 0) });
}
