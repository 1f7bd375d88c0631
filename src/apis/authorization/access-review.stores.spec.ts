import { invalidObject } from '../../apimachinery/errors/status-errors.js';
import { validateSelfSubjectAccessReview } from './access-review.stores.js';

test('metadata with thousands of labels is shown by its beginning', () => {
  const labels = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`label-${at}`, 'x']));
  const spec = { nonResourceAttributes: { path: '/', verb: 'get' } };
  const errors = validateSelfSubjectAccessReview({ metadata: { labels }, spec, status: { allowed: false } });
  expect(errors.map(({ field }) => field)).toEqual(['metadata']);
  const { message } = invalidObject({ group: '', kind: '' }, '', errors);
  expect(message).toMatch(/Invalid value: \{"labels":\{"label-0":"x",.*…: must be empty$/);
  expect(message.length).toBeLessThan(4200);
});
