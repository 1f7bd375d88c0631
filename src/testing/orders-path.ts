/** Below this path a test server takes orders. */
export const ORDERS_PATH = '/testing/';
