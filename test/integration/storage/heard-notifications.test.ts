import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { testNeeding } from '../../support/database-needs.js';
import { DatabaseProxy } from './database-proxy.js';
import { openTestStore } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

testNeeding('notifications', 'a server says that it listens while it hears, and not because it has asked to', async () => {
  await using fixture = await openFixture(0);
  await using proxy = await DatabaseProxy.start(fixture.url);
  proxy.dropsNotifications = true;
  const deaf = await openTestStore(proxy.url(fixture.url));
  try {
    // two as it connects, and one at its first heartbeat
    await eventually(() => proxy.droppedNotifications >= 3);
    expect(deaf.listening).toBe(false);
    proxy.dropsNotifications = false;
    await eventually(() => deaf.listening);
    proxy.dropsNotifications = true;
    await eventually(() => !deaf.listening);
  } finally {
    await deaf.close();
  }
});
