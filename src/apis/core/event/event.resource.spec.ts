import { describe, expect, it } from '@jest/globals';
import { validateEventsEventChange, validateNewEventsEvent } from '../../events/event/events-event.resource.js';
import { eventColumns, validateEvent } from './event.resource.js';
import type { Event } from './event.schema.js';

const old: Event = {
  metadata: { name: 'e', namespace: 'ns' },
  involvedObject: { kind: 'Lease', namespace: 'ns', name: 'x' },
  source: {},
  reportingComponent: '',
  reportingInstance: '',
};
const observed: Event = {
  ...old,
  eventTime: '2026-01-01T12:00:00.000000Z',
  type: 'Normal',
  reason: 'R',
  action: 'A',
  reportingComponent: 'example.com/elector',
  reportingInstance: 'i',
};
const texts = (errors: readonly { field: string; body: string }[]) => errors.map(({ field, body }) => `${field}: ${body}`);

describe('an event without eventTime', () => {
  it("must be in its object's namespace", () => {
    expect(validateEvent(old, 'reportingComponent')).toEqual([]);
    const other = { ...old, involvedObject: { namespace: 'other' } };
    expect(texts(validateEvent(other, 'reportingComponent'))).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  });

  it('must be in default if its object has no namespace, also if its stored time is null', () => {
    const cluster = { ...old, eventTime: null, involvedObject: { kind: 'Node' } };
    expect(validateEvent(cluster, 'reportingComponent')).toHaveLength(1);
    expect(validateEvent({ ...cluster, metadata: { name: 'e', namespace: 'default' } }, 'reportingComponent')).toEqual([]);
  });
});

describe('an event with eventTime', () => {
  it('must name its reporter and action', () => {
    expect(validateEvent(observed, 'reportingController')).toEqual([]);
    const bare = { ...old, eventTime: observed.eventTime };
    expect(texts(validateEvent(bare, 'reportingController')).map((text) => text.split(': ').slice(0, 2).join(': '))).toEqual([
      'reportingController: Required value',
      'reportingController: Invalid value',
      'reportingController: Invalid value',
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ]);
  });

  it('is limited in length, in bytes', () => {
    const long = { ...observed, action: 'ä'.repeat(65), message: 'x'.repeat(1025) };
    expect(texts(validateEvent(long, 'reportingComponent'))).toEqual([
      'action: Invalid value: "": can have at most 128 characters',
      'message: Invalid value: "": can have at most 1024 characters',
    ]);
  });

  it('may be in kube-system if its object has no namespace', () => {
    const cluster = (namespace: string) => ({ ...observed, involvedObject: {}, metadata: { name: 'e', namespace } });
    expect(validateEvent(cluster('kube-system'), 'reportingComponent')).toEqual([]);
    expect(validateEvent(cluster('ns'), 'reportingComponent')).toHaveLength(1);
  });
});

describe('an event of events.k8s.io', () => {
  it('must not use the old fields', () => {
    expect(validateNewEventsEvent(observed)).toEqual([]);
    const mixed = { ...observed, type: 'Odd', eventTime: null, count: 1, firstTimestamp: '2026-01-01T12:00:00Z', source: { host: 'h' } };
    expect(texts(validateNewEventsEvent({ ...mixed, series: { count: 1 } }))).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ]);
  });

  it('may change only its series', () => {
    const series = { count: 2, lastObservedTime: '2026-01-01T12:01:00.000000Z' };
    expect(validateEventsEventChange({ ...observed, series }, { ...observed, firstTimestamp: null })).toEqual([]);
    expect(texts(validateEventsEventChange({ ...observed, series: { count: 1 } }, observed))).toHaveLength(2);
    const changed = { ...observed, involvedObject: { name: 'y' }, reason: 'Q', reportingComponent: 'b' };
    expect(texts(validateEventsEventChange(changed, observed))).toEqual([
      'involvedObject: Invalid value: {"Kind":"","Namespace":"","Name":"y","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
      'reason: Invalid value: "Q": field is immutable',
      'reportingController: Invalid value: "b": field is immutable',
    ]);
  });
});

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
