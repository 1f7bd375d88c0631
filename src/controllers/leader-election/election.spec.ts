import { fromMicros } from '../../apimachinery/go/go-time.js';
import type { LeaseCandidateSpec } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import type { LeaseSpec } from '../../apis/coordination/lease/lease.schema.js';
import {
  type Candidate,
  candidateOf,
  changedLease,
  electionStep,
  isCandidateExpired,
  isLeaseExpired,
  newLease,
  pickOldestEmulationVersion,
  pickStrategy,
} from './election.js';

{
  const OLDEST = 'OldestEmulationVersion';
  const NOW = Date.parse('2026-01-02T03:04:05.678Z') * 1000;
  const at = (seconds: number) => fromMicros(NOW + seconds * 1e6);

  interface Given extends Partial<Omit<LeaseCandidateSpec, 'renewTime' | 'pingTime'>> {
    /** Seconds from now. */
    readonly renewed?: number;
    readonly pinged?: number;
    readonly created?: number;
  }

  function candidate(name: string, { renewed, pinged, created = -60, ...spec }: Given = {}): Candidate {
    return candidateOf({
      metadata: { name, creationTimestamp: at(created) },
      spec: {
        leaseName: 'lease',
        binaryVersion: '1.36.0',
        emulationVersion: '1.36.0',
        strategy: OLDEST,
        ...spec,
        ...(renewed === undefined ? {} : { renewTime: at(renewed) }),
        ...(pinged === undefined ? {} : { pingTime: at(pinged) }),
      },
    });
  }

  const fresh = (name: string, given: Given = {}) => candidate(name, { renewed: -1, ...given });
  const held: LeaseSpec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: at(-1), strategy: OLDEST };

  /** A step in short form: its kind and the candidate. */
  function step(lease: LeaseSpec | undefined, ...candidates: Candidate[]): string {
    const result = electionStep(candidates, lease, NOW);
    if (result.kind === 'ping') return `ping ${result.candidates.map(({ name }) => name).join(' ')}`;
    if (result.kind === 'elect') return `elect ${result.election.electee ?? 'nobody'} by ${result.election.strategy}`;
    return result.kind === 'problem' ? result.problem : result.kind;
  }

  describe('whether an election is needed', () => {
    const a = fresh('a');
    test.each<[string, LeaseSpec | undefined, Candidate[], string]>([
      ['there are no candidates', undefined, [], 'rest'],
      ['no candidate was renewed for half an hour', undefined, [candidate('a', { renewed: -1801 }), candidate('b')], 'rest'],
      ['there is no lease', undefined, [a], `elect a by ${OLDEST}`],
      ['the lease has no holder', { ...held, holderIdentity: undefined }, [a], `elect a by ${OLDEST}`],
      ['the holder is empty', { ...held, holderIdentity: '' }, [a], `elect a by ${OLDEST}`],
      ['the lease has expired', { ...held, renewTime: at(-16) }, [a], `elect a by ${OLDEST}`],
      ['the lease was never renewed', { ...held, renewTime: undefined }, [a], `elect a by ${OLDEST}`],
      ['the lease has no duration', { ...held, leaseDurationSeconds: undefined }, [a], `elect a by ${OLDEST}`],
      ['the lease is empty', {}, [a], `elect a by ${OLDEST}`],
      ['the holder is the best', held, [a, fresh('b')], 'wait'],
      ['there is a better candidate', held, [a, fresh('b', { emulationVersion: '1.35.0' })], `elect b by ${OLDEST}`],
      ['the holder is not a candidate', held, [fresh('b')], `elect b by ${OLDEST}`],
      ['a third party chooses', held, [fresh('b', { strategy: 'x/y' })], 'wait'],
      [
        'strategies conflict',
        held,
        [a, fresh('b', { strategy: 'x/y' })],
        `candidates "a", "b" at same binary version but with strategies ${OLDEST}, x/y`,
      ],
      ['no version can be parsed', held, [fresh('b', { binaryVersion: 'x' })], 'wait'],
      ['a candidate was silent for a quarter of an hour', held, [a, candidate('b', { renewed: -901 })], 'ping b'],
      [
        'a better candidate was pinged, so the others are too',
        held,
        [candidate('a', { renewed: -60 }), candidate('b', { emulationVersion: '1.35.0', renewed: -60, pinged: -2 })],
        'ping a',
      ],
      [
        'the better candidate may still respond, so the others are pinged',
        held,
        [candidate('a', { renewed: -59 }), candidate('b', { emulationVersion: '1.35.0', renewed: -99, pinged: -59.9 })],
        'ping a',
      ],
      [
        'the better candidate did not respond for a minute, so nobody else is pinged',
        held,
        [candidate('a', { renewed: -60 }), candidate('b', { emulationVersion: '1.35.0', renewed: -99, pinged: -60 })],
        'wait',
      ],
      [
        'the holder renews its lease but does not respond',
        held,
        [candidate('a', { renewed: -99, pinged: -60 }), fresh('b', { created: -9 })],
        'wait',
      ],
      ['the silent candidate has not responded yet', held, [a, candidate('b', { renewed: -901, pinged: -6 })], `elect a by ${OLDEST}`],
      ['the silent candidate does not respond', held, [a, candidate('b', { renewed: -961, pinged: -60 })], 'wait'],
    ])('%s', (_name, lease, candidates, expected) => {
      expect(step(lease, ...candidates)).toBe(expected);
    });
  });

  describe('pings before an election', () => {
    const b = fresh('b');
    test.each<[string, Candidate[], string]>([
      ['a candidate that was just renewed is not pinged', [candidate('a', { renewed: -4.9 })], `elect a by ${OLDEST}`],
      ['a candidate renewed in the future is not pinged', [candidate('a', { renewed: 600 })], `elect a by ${OLDEST}`],
      ['a silent candidate is pinged', [candidate('a', { renewed: -5 }), b], 'ping a'],
      ['a candidate that responded long ago is pinged again', [candidate('a', { renewed: -60, pinged: -61 })], 'ping a'],
      ['a candidate that responded at the time of the ping is pinged again', [candidate('a', { renewed: -5, pinged: -5 })], 'ping a'],
      ['a pinged candidate has time to respond', [candidate('a', { renewed: -60, pinged: -4.9 }), b], 'wait'],
      ['a pinged candidate is awaited although it was renewed just before', [candidate('a', { renewed: -3, pinged: -2 }), b], 'wait'],
      ['another candidate is pinged meanwhile', [candidate('a', { renewed: -60, pinged: -2 }), candidate('c', { renewed: -60 })], 'ping c'],
      ['a candidate that did not respond in time is skipped', [candidate('a', { renewed: -60, pinged: -5 }), b], `elect b by ${OLDEST}`],
      ['a candidate that responded is elected', [candidate('a', { renewed: -1, pinged: -2 })], `elect a by ${OLDEST}`],
      ['no candidate responded', [candidate('a', { renewed: -60, pinged: -5 })], 'no available candidates'],
      ['a ping time in the far future is ignored', [candidate('a', { renewed: -60, pinged: 1801 })], 'ping a'],
    ])('%s', (_name, candidates, expected) => {
      expect(step(undefined, ...candidates)).toBe(expected);
    });
  });

  describe('the elected candidate is', () => {
    test.each<[string, Candidate[], string]>([
      ['the oldest emulation version', [fresh('a'), fresh('b', { emulationVersion: '1.35.0', binaryVersion: '1.37.0' })], 'b'],
      ['then the oldest binary version', [fresh('a', { binaryVersion: '1.37.0' }), fresh('b')], 'b'],
      ['then the oldest object', [fresh('a', { created: -5 }), fresh('b', { created: -9 })], 'b'],
      ['then the first in order', [fresh('a'), fresh('b')], 'a'],
      ['by number, not by text', [fresh('a', { emulationVersion: '1.10.0' }), fresh('b', { emulationVersion: '1.9.0' })], 'b'],
      ['a pre-release before its release', [fresh('a'), fresh('b', { emulationVersion: '1.36.0-rc.1' })], 'b'],
      ['not by build metadata', [fresh('a'), fresh('b', { emulationVersion: '1.36.0+0' })], 'a'],
      ['nobody whose versions cannot be parsed', [fresh('a', { emulationVersion: '' }), fresh('b')], 'b'],
    ])('%s', (_name, candidates, expected) => {
      expect(pickOldestEmulationVersion(candidates)?.name).toBe(expected);
    });

    test('nobody if a third party chooses: the lease is created without a holder', () => {
      expect(step(undefined, fresh('a', { strategy: 'example.com/mine' }))).toBe('elect nobody by example.com/mine');
      expect(newLease({ strategy: 'example.com/mine' }, NOW)).toEqual({
        leaseDurationSeconds: 5,
        renewTime: at(0),
        strategy: 'example.com/mine',
      });
    });

    test('nobody if no version can be parsed', () => {
      expect(step(undefined, fresh('a', { emulationVersion: 'x' }))).toBe('no candidate has readable versions');
    });
  });

  test('a new lease lasts until its holder has renewed it, and has no holder if a third party chooses', () => {
    const made = { leaseDurationSeconds: 5, renewTime: at(0) };
    expect(newLease({ strategy: OLDEST, electee: 'a' }, NOW)).toEqual({ ...made, holderIdentity: 'a', strategy: OLDEST });
    expect(newLease({ strategy: 'x/y' }, NOW)).toEqual({ ...made, strategy: 'x/y' });
  });

  describe('the result of an election for the lease', () => {
    const a = { strategy: OLDEST, electee: 'a' };
    const b = { strategy: OLDEST, electee: 'b' };
    const taken = { holderIdentity: 'b', leaseDurationSeconds: 5, renewTime: at(0), strategy: OLDEST };
    const old = { ...held, renewTime: at(-16), acquireTime: at(-90), leaseTransitions: 3 };

    test.each<[string, LeaseSpec, Parameters<typeof changedLease>[1], LeaseSpec | undefined]>([
      ['the best holder keeps it', held, a, undefined],
      ['a holder keeps it until a better one takes over', held, b, { ...held, preferredHolder: 'b' }],
      ['the preferred holder is set once', { ...held, preferredHolder: 'b' }, b, undefined],
      ['the preferred holder is replaced by an even better one', { ...held, preferredHolder: 'c' }, b, { ...held, preferredHolder: 'b' }],
      ['a preferred holder is not removed', { ...held, preferredHolder: 'b' }, a, undefined],
      ['an expired lease goes to the next holder', { ...old, preferredHolder: 'b' }, b, { ...taken, leaseTransitions: 3 }],
      ['a released lease goes to the next holder', { ...old, holderIdentity: '' }, b, { ...taken, leaseTransitions: 3 }],
      ['a lease without a holder goes to the next holder', { leaseDurationSeconds: 60, renewTime: at(0) }, b, taken],
      ['an empty lease goes to the next holder', {}, b, taken],
      ['an expired lease stays with a holder that is the best again', old, a, undefined],
      [
        'an expired lease with a preferred holder starts a new term for the best',
        { ...old, preferredHolder: 'b' },
        a,
        { ...taken, holderIdentity: 'a', leaseTransitions: 3 },
      ],
      ['the strategy is set', { ...held, strategy: undefined }, a, held],
      ['the lease of a third party is unchanged', { ...old, strategy: 'x/y' }, { strategy: 'x/y' }, undefined],
      ['the lease of a third party is unchanged without a holder too', { strategy: 'x/y' }, { strategy: 'x/y' }, undefined],
      ['the lease of a third party gets its strategy and nothing else', old, { strategy: 'x/y' }, { ...old, strategy: 'x/y' }],
    ])('%s', (_name, lease, election, expected) => {
      expect(changedLease(lease, election, NOW)).toEqual(expected);
    });
  });

  test('a candidate is ignored, and may be deleted, half an hour after its last renewal', () => {
    expect(isCandidateExpired(candidate('a', { renewed: -1800 }), NOW)).toBe(false);
    expect(isCandidateExpired(candidate('a', { renewed: -1800.000001 }), NOW)).toBe(true);
    expect(isCandidateExpired(candidate('a'), NOW)).toBe(true);
  });

  test('a lease expires after its duration, to the microsecond', () => {
    expect(isLeaseExpired({ leaseDurationSeconds: 15, renewTime: at(-15) }, NOW)).toBe(false);
    expect(isLeaseExpired({ leaseDurationSeconds: 15, renewTime: at(-15.000001) }, NOW)).toBe(true);
  });
}

{
  const OLDEST = 'OldestEmulationVersion';

  /** Candidates are separated by semicolons: the name, the version of the binary, and the strategies of each. */
  function pick(candidates: string) {
    return pickStrategy(
      candidates.split('; ').map((each) => {
        const [name, binaryVersion = '', ...strategies] = each.split(' ');
        return { ...candidateOf({ metadata: { name }, spec: { leaseName: 'lease', binaryVersion } }), strategies };
      }),
    );
  }

  describe('the strategy of candidates that name one strategy each', () => {
    test.each([
      ['of the only candidate', 'a 1.36.0 OldestEmulationVersion', OLDEST],
      ['of candidates that agree', 'a 1.36.0 x/a; b 1.35.0 x/a', 'x/a'],
      ['of the newest binary', 'a 1.36.0 OldestEmulationVersion; b 1.37.0 x/a', 'x/a'],
      ['of the numerically newest binary', 'a 1.9.0 OldestEmulationVersion; b 1.10.0 x/a', 'x/a'],
      ['of the newest although older ones differ', 'a 1.35.0 OldestEmulationVersion; b 1.35.0 x/a; c 1.36.0 x/c', 'x/c'],
      ['of a valid version rather than an invalid one', 'a junk x/a; b 0.0.1 x/b', 'x/b'],
      ['of the candidates that name one', 'a 1.37.0; b 1.36.0 OldestEmulationVersion', OLDEST],
    ])('is that %s', (_name, candidates, strategy) => {
      expect(pick(candidates)).toEqual({ strategy });
    });

    test('candidates with the same newest version and different strategies are a conflict', () => {
      expect(pick('a 1.36.0 OldestEmulationVersion; b 1.36.0+build x/b')).toEqual({
        problem: `candidates "a", "b" at same binary version but with strategies ${OLDEST}, x/b`,
      });
    });

    test('there is none if no candidate names one', () => {
      expect(pick('a 1.36.0')).toEqual({ problem: 'no candidate names a strategy' });
    });
  });

  describe('the strategy of candidates of which one lists several', () => {
    test.each([
      ['the first of the only list', 'a 1.0.0 x/a OldestEmulationVersion', 'x/a'],
      ['the common first of all lists', 'a 1.0.0 x/a x/b; b 2.0.0 x/a x/c', 'x/a'],
      ['the one that another list places before its own first', 'a 1.0.0 x/b x/c; b 2.0.0 x/a x/b', 'x/a'],
      ['the first of a list that contains the single strategies of others, regardless of versions', 'a 9.0.0 x/b; b 1.0.0 x/a x/b', 'x/a'],
      ['independent of the order of the others', 'a 1.0.0 x/a x/b x/c; b 1.0.0 x/a x/c x/b', 'x/a'],
      ['one that is listed twice', 'a 1.0.0 x/a x/a', 'x/a'],
    ])('is %s', (_name, candidates, strategy) => {
      expect(pick(candidates)).toEqual({ strategy });
    });

    test.each([
      ['two lists that contradict each other', 'a 1.0.0 x/a x/b; b 2.0.0 x/b x/a', 'x/a, x/b'],
      ['a cycle after a common first', 'a 1.0.0 x/a x/b; b 1.0.0 x/b x/c; c 1.0.0 x/c x/b', 'x/b, x/c'],
    ])('does not exist for %s', (_name, candidates, cycle) => {
      expect(pick(candidates)).toEqual({
        problem: `the candidates' preferred strategies form a cycle: ${cycle}`,
      });
    });

    test('does not exist if the lists have no common first strategy', () => {
      expect(pick('a 1.0.0 x/a x/c; b 1.0.0 x/b')).toEqual({
        problem: "the candidates' preferred strategies have no common first choice: x/a, x/b",
      });
    });
  });
}
