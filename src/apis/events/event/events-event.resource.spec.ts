import { expect, it } from '@jest/globals';
import type { Event } from '../../core/event/event.schema.js';
import { eventFromEventsV1, eventToEventsV1 } from './events-event.resource.js';

const metadata = Object.freeze({ name: 'e', namespace: 'ns' });
const stored: Event = {
  metadata,
  involvedObject: { kind: 'Lease', name: 'x' },
  message: 'm',
  source: { component: 'c' },
  firstTimestamp: '2026-01-01T12:00:00Z',
  lastTimestamp: null,
  eventTime: null,
  count: 2,
  series: Object.freeze({ lastObservedTime: '2026-01-01T12:00:00.000000Z' }),
  reportingComponent: '',
  reportingInstance: '',
};
const shown = {
  metadata,
  regarding: { kind: 'Lease', name: 'x' },
  note: 'm',
  deprecatedSource: { component: 'c' },
  deprecatedFirstTimestamp: '2026-01-01T12:00:00Z',
  deprecatedCount: 2,
  series: { count: 0, lastObservedTime: '2026-01-01T12:00:00.000000Z' },
};

it('shows a stored event with the names of events.k8s.io, and leaves out fields that are empty there', () => {
  expect(eventToEventsV1(stored)).toEqual(shown);
});

it('converts it back to the stored shape', () => {
  const { lastTimestamp: _last, eventTime: _time, ...rest } = stored;
  expect(eventFromEventsV1(shown)).toEqual(rest);
});
