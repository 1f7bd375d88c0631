import { describe, expect, it } from '@jest/globals';
import { UsageError, parseArguments, parseDuration } from './program-arguments.js';

describe('the arguments', () => {
  it('end at the dashes: what follows belongs to the command', () => {
    const { name, command, wait } = parseArguments('lock', ['x', '--wait=1s', '--', 'run', '--wait', '--', 'y']);
    expect({ name, command, wait }).toEqual({ name: 'x', command: ['run', '--wait', '--', 'y'], wait: 1_000 });
  });

  it('make one line for the shell of all words', () => {
    expect(parseArguments('lock', ['x', '--shell', '--', 'a;', 'b $c']).command).toEqual(['/bin/sh', '-c', 'a; b $c']);
  });

  it('name a server or a database', () => {
    expect(parseArguments('lock', ['x', '-n', 'jobs', '--server=https://s', '--', 'y']).server).toMatchObject({
      namespace: 'jobs',
      server: 'https://s',
    });
    const { database } = parseArguments('elect', ['x', '--database-url=postgresql://d', '--database-schema=leases', '--', 'y']);
    expect(database).toEqual({ url: 'postgresql://d', schema: 'leases' });
  });

  it.each([
    [['x', '--fail-fast', '--wait=1s', '--', 'y'], '--wait and --fail-fast exclude each other'],
    [['x', 'y'], 'unexpected "y": the command comes after "--"'],
    [['x', '--'], 'the command is missing'],
    [['x', '--slots=many', '--', 'y'], '--slots: "many" is not a number'],
    [['x', '--database-schema=s', '--', 'y'], '--database-schema needs --database-url'],
    [['x', '--database-url=u', '--context=c', '--', 'y'], '--database-url and --context exclude each other'],
  ])('%j cannot be used', (args, message) => expect(() => parseArguments('lock', args)).toThrow(message));

  it.each([
    ...['namespace', 'kubeconfig', 'context', 'server', 'token', 'token-file', 'certificate-authority', 'database-url', 'database-schema'],
    ...['slots', 'duration', 'grace', 'max-term', 'drain', 'holder', 'wait', 'conflict-exit-code'],
  ])('do not take an empty --%s', (option) => {
    for (const value of ['', ' ']) {
      expect(() => parseArguments('lock', ['x', `--${option}=${value}`, '--', 'y'])).toThrow(
        `invalid value "" for --${option}: must not be empty`,
      );
    }
  });

  it('say how a lease is handed over', () => {
    const args = ['x', '--max-term=24h', '--drain=30s', '--priority=-5', '--', 'y'];
    expect(parseArguments('elect', args)).toMatchObject({ maxTerm: 86_400_000, drain: 30_000, priority: -5 });
    expect(() => parseArguments('lock', args)).toThrow("Unknown option '--priority'");
  });

  it.each([
    [['--priority=high'], '--priority: "high" is not a whole number'],
    [['--priority=1', '--database-url=d'], '--priority and --database-url exclude each other'],
    [['--priority=1', '--slots=2'], '--priority and --slots exclude each other'],
    [['--max-term=-1s'], '--max-term: "-1s" is not a duration'],
    [['--drain=soon'], '--drain: "soon" is not a duration'],
    [['--drain='], 'invalid value "" for --drain: must not be empty'],
  ])('of elect: %j cannot be used', (args, message) => {
    expect(() => parseArguments('elect', ['x', ...args, '--', 'y'])).toThrow(message);
  });

  it('of elect have no time to wait', () => {
    expect(() => parseArguments('elect', ['x', '--wait=1s', '--', 'y'])).toThrow("Unknown option '--wait'");
  });

  it('name the option that was probably meant, if the caller knows which', () => {
    const closest = (word: string, names: readonly string[]) => names.find((name) => word.startsWith(name));
    expect(() => parseArguments('lock', ['x', '--waitt=1s', '--', 'y'], closest)).toThrow("Unknown option '--waitt'. Did you mean --wait?");
    expect(() => parseArguments('elect', ['x', '--waitt=1s', '--', 'y'], closest)).toThrow(/'--waitt'$/);
  });
});

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['0', 0],
    ['12', 12_000],
    ['0.5', 500],
  ])('%s', (text, ms) => expect(parseDuration(text, 'wait')).toBe(ms));

  it.each(['', 'soon', '5x', '1m 30s', '-1s', '1.2.3', 's', '10sm'])('is not "%s"', (text) =>
    expect(() => parseDuration(text, 'wait')).toThrow(UsageError),
  );
});
