import { InFlight } from './request-series.js';

test('the peak of each second is reported during the next, and then the number of requests in progress', () => {
  const requests = new InFlight();
  requests.enter(100);
  requests.enter(200);
  requests.leave(300);
  expect(requests.most(900)).toBe(1);
  expect(requests.most(1000)).toBe(2);
  requests.leave(1999);
  expect(requests.most(2000)).toBe(1);
  expect(requests.most(60_000)).toBe(0);
});
