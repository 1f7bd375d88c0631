export { startTestServer } from '../../../src/testing/start-test-server.js';
