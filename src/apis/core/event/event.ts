import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';

/** core/v1 ObjectReference. */
export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface EventSource {
  component?: string;
  host?: string;
}

/** Repetitions of one event. */
export interface EventSeries {
  count?: number;
  lastObservedTime?: string | null;
}

/** The hub type of events; it has the shape of core/v1. Times that are absent are null once stored. */
export interface Event extends KubeObject {
  involvedObject: ObjectReference;
  reason?: string;
  message?: string;
  source: EventSource;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: EventSeries;
  action?: string;
  related?: ObjectReference;
  /** The reporting controller: events.k8s.io calls it so. */
  reportingComponent: string;
  reportingInstance: string;
}
