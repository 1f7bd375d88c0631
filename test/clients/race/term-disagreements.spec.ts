import { type Term, termDisagreements } from './term-disagreements.js';

const time = (second: number) => new Date(second * 1000).toISOString();
const version = (revision: bigint, holder: string, acquired: number) => ({
  revision,
  holder,
  transitions: 0,
  acquireTime: time(acquired),
  renewTime: time(acquired),
});
const LOG = [version(1n, 'sql-1', 1), version(4n, 'sql-1', 1), version(5n, '', 3), version(7n, 'go-2', 4)];
const TAKEN = [version(1n, 'sql-1', 1), version(7n, 'go-2', 4)];
const FIRST: Term = { token: 1n, holder: 'sql-1', began: time(1), until: time(3), reason: 'Released' };
const SECOND: Term = { token: 7n, holder: 'go-2', began: time(4), until: null, reason: null };

describe('termDisagreements', () => {
  it('finds nothing where terms, log and holders agree', () => {
    const beliefs = [
      { holder: 'sql-1', token: 4n },
      { holder: 'go-2', token: undefined },
    ];
    expect(termDisagreements([FIRST, SECOND], LOG, beliefs)).toEqual([]);
  });

  it.each<[string, Term[], string]>([
    ['a term that is missing', [FIRST], 'the term of go-2 from 7 on is not recorded'],
    ['a term of somebody else', [FIRST, { ...SECOND, holder: 'go-3' }], 'the term of go-2 from 7 on is not recorded'],
    ['a term too many', [FIRST, SECOND, { ...SECOND, token: 8n, began: time(9) }], '8 is recorded as a term, but the log has none'],
    ['a term that was never ended', [{ ...FIRST, until: null, reason: null }, SECOND], 'the term 1 has not ended, but 7 has begun'],
    ['terms that overlap', [FIRST, { ...SECOND, began: time(2) }], 'the term 7 began before 1 had ended'],
    [
      'a term that did not end as the log has it',
      [{ ...FIRST, reason: 'Expired' }, SECOND],
      'the term 1 has ended as Expired, but was Released by the log before go-2',
    ],
    ['a term that ended only by its reason', [FIRST, { ...SECOND, reason: 'Released' }], 'the term 7 has ended as Released, but at null'],
  ])('finds %s', (_, terms, disagreement) => {
    expect(termDisagreements(terms, LOG, [])).toContain(disagreement);
  });

  it.each([
    ['Expired', 'go-2', []],
    ['Replaced', 'go-2', []],
    ['Replaced', 'fabric8-2', []],
    ['Replaced', 'sql-2', ['the term 1 has ended as Replaced, but was Taken by the log before sql-2']],
    ['Released', 'sql-2', ['the term 1 has ended as Released, but was Taken by the log before sql-2']],
  ])('judges the end of a term that was taken: %s, by %s', (reason, holder, disagreements) => {
    const taken = TAKEN.map((each) => (each.revision === 7n ? { ...each, holder } : each));
    expect(
      termDisagreements(
        [
          { ...FIRST, reason },
          { ...SECOND, holder },
        ],
        taken,
        [],
      ),
    ).toEqual(disagreements);
  });

  it.each([
    [{ holder: 'shell-1', token: undefined }, 'shell-1 believed to lead, but never had a term'],
    [{ holder: 'sql-1', token: 7n }, 'sql-1 led under 7, which is in no term of its own'],
  ])('finds a belief without a term', (belief, disagreement) => {
    expect(termDisagreements([FIRST, SECOND], LOG, [belief])).toEqual([disagreement]);
  });
});
