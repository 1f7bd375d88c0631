import { allScenarios, selectScenarios } from './all-scenarios.js';

const namesOf = (patterns: string[]) => selectScenarios(patterns).map(({ name }) => name);

describe('selectScenarios', () => {
  it('keeps the order of the whole', () => {
    expect(namesOf(['watch-200', 'renew-1'])).toEqual(['renew-1', 'watch-200']);
  });

  it('takes all that begin like a name with a star', () => {
    expect(namesOf(['heartbeat-*'])).toEqual(['heartbeat-5000', 'heartbeat-10000', 'heartbeat-25000']);
  });

  it('names those that there are for one that there is not', () => {
    expect(() => namesOf(['renew-2'])).toThrow('no scenario renew-2; there are renew-64');
  });
});

it('has no name twice', () => {
  expect(new Set(namesOf([])).size).toBe(allScenarios.length);
});
