import { describe, expect, it } from '@jest/globals';
import type { Lease } from '../lease.js';
import { leaseExpiry } from './lease-expiry.js';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

function lease(renewTime: string | undefined, leaseDurationSeconds?: number, received?: number, manager = 'client'): Lease {
  const fieldsV1 = { 'f:spec': { 'f:renewTime': {} } };
  const managedFields = received === undefined ? [] : [{ manager, operation: 'Update', time: at(received), fieldsV1 }];
  return { metadata: { name: 'x', managedFields }, spec: { renewTime, leaseDurationSeconds } };
}

describe('the expiry of a lease', () => {
  it.each([
    ['is exact where nobody noted when the renewal came', lease(at(1000.5), 15), 1015.5],
    ['is exact where the database renewed it', lease(at(1000.5), 15, 2000, 'coordination-sql'), 1015.5],
    ['counts from the second in which the renewal came', lease(at(1000.2), 15, 1000), 1016],
    ['does not believe a clock that is an hour behind', lease(at(1000), 15, 4600), 4616],
    ['does not believe a clock that is an hour ahead', lease(at(4600), 15, 1000), 1016],
    ['believes a clock that is a little ahead', lease(at(1005), 15, 1000), 1020],
    ['counts from the receipt where there is no time', lease(undefined, 15, 1000), 1016],
  ])('%s', (_, given, seconds) => expect(leaseExpiry(given)).toBe(seconds * 1000));

  it.each([
    ['without a duration', lease(at(1000))],
    ['without a time', lease(undefined, 15)],
  ])('never comes %s', (_, given) => expect(leaseExpiry(given)).toBeUndefined());
});
