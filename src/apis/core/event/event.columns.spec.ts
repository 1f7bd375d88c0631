import { expect, it } from '@jest/globals';
import { eventColumns } from './event.columns.js';
import type { Event } from './event.schema.js';

const NOW = Date.parse('2026-01-01T12:10:00Z');
const event: Event = {
  metadata: { name: 'e' },
  involvedObject: { kind: 'Lease', name: 'x' },
  source: {},
  message: ' done\n',
  reportingComponent: '',
  reportingInstance: '',
};
const row = (part: Partial<Event>) =>
  Object.fromEntries(eventColumns.map((column) => [column.name, column.cell({ ...event, ...part }, NOW)]));

it('event columns show the times of old events', () => {
  const times = { firstTimestamp: '2026-01-01T12:00:00Z', lastTimestamp: '2026-01-01T12:09:00Z', eventTime: null };
  const shown = { 'Last Seen': '60s', 'First Seen': '10m', Count: 3, Source: 'c, h', Message: 'done', Object: 'lease/x' };
  expect(row({ ...times, count: 3, source: { component: 'c', host: 'h' } })).toMatchObject(shown);
});

it('event columns show when a new event was observed, and a count of one', () => {
  const observed = { eventTime: '2026-01-01T12:08:00.000000Z', firstTimestamp: null, reportingComponent: 'a', reportingInstance: 'i' };
  expect(row(observed)).toMatchObject({ 'Last Seen': '2m', 'First Seen': '2m', Count: 1, Source: 'a, i' });
});

it('event columns show the series if there is one', () => {
  const series = { count: 7, lastObservedTime: '2026-01-01T12:09:30.000000Z' };
  expect(row({ eventTime: '2026-01-01T12:00:00.000000Z', series })).toMatchObject({ 'Last Seen': '30s', Count: 7 });
});

it('event columns show <unknown> and empty cells for missing values', () => {
  expect(row({ involvedObject: { kind: 'Node' } })).toMatchObject({ 'Last Seen': '<unknown>', Object: 'node', Source: '', Name: 'e' });
});
