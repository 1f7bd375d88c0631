import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { canonicalize } from '../../../apimachinery/schema/canonical-object.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { type Event, eventV1Schema } from '../../core/event/event.schema.js';
import { eventsV1Schema } from './events-event.schema.js';

type Values = Record<string, unknown>;

/** Names in events.k8s.io/v1 and in the hub, where they differ (kubernetes pkg/apis/events/v1/conversion.go). */
const RENAMED: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];
const TO_HUB = new Map(RENAMED);
const FROM_HUB = new Map(RENAMED.map(([name, hubName]) => [hubName, name]));

export function eventFromEventsV1(object: KubeObject): Event {
  return renamed(object, TO_HUB, eventV1Schema) as unknown as Event;
}

export function eventToEventsV1(hub: Event): KubeObject {
  return renamed(hub, FROM_HUB, eventsV1Schema) as unknown as KubeObject;
}

/** The two shapes omit different empty values, in the series as well. */
function renamed(object: KubeObject, names: ReadonlyMap<string, string>, schema: StructType): Values {
  const values: Values = Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value as unknown]));
  const { metadata, series } = values;
  if (series) values['series'] = { ...series };
  // Metadata is the same in both, and must not be changed here.
  return { ...canonicalize(schema, { ...values, metadata: {} }), metadata };
}
