export { startTestServer } from '../../../dist/testing/start-test-server.js';
