import { allScenarios, selectScenarios } from './all-scenarios.js';

const namesOf = (patterns: string[]) => selectScenarios(patterns).map(({ name }) => name);

describe('selectScenarios', () => {
  it('keeps the defined order', () => {
    expect(namesOf(['watch-200', 'renew-1'])).toEqual(['renew-1', 'watch-200']);
  });

  it('selects all with the prefix before a star', () => {
    expect(namesOf(['heartbeat-*'])).toEqual(['heartbeat-5000', 'heartbeat-10000', 'heartbeat-25000']);
  });

  it('lists the known scenarios for an unknown one', () => {
    expect(() => namesOf(['renew-2'])).toThrow('no scenario renew-2; there are renew-64');
  });
});

it('has unique names', () => {
  expect(new Set(namesOf([])).size).toBe(allScenarios.length);
});
