import { parseBenchOptions } from './bench-options.js';

describe('parseBenchOptions', () => {
  it('reads scenarios between flags', () => {
    const options = parseBenchOptions(['renew-64', '--runs=5', 'watch-200', '--server-flag=--a=1', '--server-flag=--b']);
    expect(options).toMatchObject({ scenarios: ['renew-64', 'watch-200'], runs: 5, serverFlags: ['--a=1', '--b'], kine: false });
    expect(options.seconds).toBeUndefined();
  });

  it.each(['0', '-1', '1.5', 'many'])('refuses %s runs', (runs) => {
    expect(() => parseBenchOptions([`--runs=${runs}`])).toThrow('--runs');
  });

  it('refuses unknown flags', () => {
    expect(() => parseBenchOptions(['--rounds=3'])).toThrow('--rounds');
  });
});
