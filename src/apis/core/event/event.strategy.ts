import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import { longerThan, validateQualifiedName } from '../../../apimachinery/validation/names.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import type { Event } from './event.schema.js';

/** The strategy of core/v1 events, with few rules for the sake of old clients (kubernetes pkg/registry/core/event). */
export const eventStrategy: Strategy<Event> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutGarbageCollection: true,
  validate: (next) => validateEvent(next, 'reportingComponent'),
  validateUpdate: (next) => validateEvent(next, 'reportingComponent'),
};

const MAX_FIELD_BYTES = 128;
const MAX_MESSAGE_BYTES = 1024;
const OTHER_NAMESPACE = 'does not match event.namespace';

/**
 * The rules for events in any version, both new and changed (kubernetes pkg/apis/core/validation/events.go). An eventTime marks events of
 * the newer kind, which have stricter rules. `controllerField` is the version's name for the reporting controller.
 */
export function validateEvent(event: Event, controllerField: 'reportingComponent' | 'reportingController'): FieldError[] {
  return event.eventTime ? validateNewEvent(event, controllerField) : validateOldEvent(event);
}

/** An event about an object without a namespace must be in `default`. */
function validateOldEvent({ metadata, involvedObject }: Event): FieldError[] {
  const about = involvedObject.namespace ?? '';
  const matches = metadata.namespace === (about === '' ? 'default' : about);
  return matches ? [] : [invalid('involvedObject.namespace', about, OTHER_NAMESPACE)];
}

function validateNewEvent(event: Event, controllerField: string): FieldError[] {
  const { metadata, involvedObject, reportingComponent } = event;
  const errors: FieldError[] = [];
  if (!involvedObject.namespace && metadata.namespace !== 'default' && metadata.namespace !== 'kube-system') {
    errors.push(invalid('involvedObject.namespace', '', OTHER_NAMESPACE));
  }
  if (reportingComponent === '') errors.push(required(controllerField));
  for (const message of validateQualifiedName(reportingComponent)) errors.push(invalid(controllerField, reportingComponent, message));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') errors.push(required(field));
    if (longerThan(value, MAX_FIELD_BYTES)) errors.push(tooLong(field, MAX_FIELD_BYTES));
  }
  if (longerThan(event.message ?? '', MAX_MESSAGE_BYTES)) errors.push(tooLong('message', MAX_MESSAGE_BYTES));
  return errors;
}

function tooLong(field: string, limit: number): FieldError {
  return invalid(field, '', `can have at most ${limit} characters`);
}
