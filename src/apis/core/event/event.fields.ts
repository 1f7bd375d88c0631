import type { Event, ObjectReference } from './event.js';

const REFERENCE: readonly (keyof ObjectReference)[] = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** The selectable fields of core/v1 events (kubernetes pkg/registry/core/event/strategy.go ToSelectableFields). */
export const EVENT_FIELDS: readonly string[] = [
  ...REFERENCE.map((field) => `involvedObject.${field}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
  'metadata.namespace',
  'metadata.name',
];

export function eventFields(event: Event): Readonly<Record<string, string>> {
  return {
    ...referenceFields('involvedObject', event.involvedObject),
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent,
    source: event.source.component || event.reportingComponent,
    type: event.type ?? '',
  };
}

/** The fields of a reference under a name: `regarding.kind`, and so on. */
export function referenceFields(name: string, reference: ObjectReference): Record<string, string> {
  return Object.fromEntries(REFERENCE.map((field) => [`${name}.${field}`, reference[field] ?? '']));
}
