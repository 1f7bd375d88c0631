import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { testNeeding } from '../../support/database-needs.js';
import { Workspace } from '../../suites/store-under-test.js';
import { DatabaseProxy } from './database-proxy.js';
import { openTestStore } from './open-test-store.js';
import { openFixture, pause } from './postgres-fixture.js';

testNeeding('notifications', 'a server notifies of its commits only while another listens', async () => {
  await using fixture = await openFixture(1);
  const [alone] = fixture.stores;
  let heard = 0;
  fixture.client.on('notification', () => heard++);
  await fixture.client.query(`listen coordination_changes_${alone!.schema}`);
  const space = new Workspace(alone!);
  let object = await space.create('a/b', '0');
  /** How many notifications a commit leads to, which are sent after it. */
  const notified = async () => {
    const before = heard;
    object = await space.update(object, String(object.revision));
    await pause(200);
    await fixture.client.query('select 1');
    return heard - before;
  };
  await eventually(async () => (await notified()) === 0);
  const second = await fixture.open();
  await eventually(async () => (await notified()) === 1);
  for (let n = 0; n < 5; n++) expect(await notified()).toBe(1);
  await second.close();
  await eventually(async () => (await notified()) === 0);
});

testNeeding('notifications', 'a server whose own session has lost its name takes nobody else for itself', async () => {
  await using fixture = await openFixture(0);
  await using proxy = await DatabaseProxy.start(fixture.url);
  proxy.dropsNames = true;
  const nameless = await openTestStore(proxy.url(fixture.url));
  try {
    await fixture.client.query(`set application_name = 'coordination-apiserver notifications'`);
    let heard = 0;
    fixture.client.on('notification', () => heard++);
    await fixture.client.query(`listen coordination_changes_${nameless.schema}`);
    // a listener notifies when it begins, and counts the others a second later
    await pause(2000);
    heard = 0;
    await new Workspace(nameless).create('a/b', '0');
    await eventually(() => heard > 0);
  } finally {
    await nameless.close();
  }
});
