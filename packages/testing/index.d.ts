import type { TestServer, TestServerOptions } from './dist/types/test-server.js';

export * from './dist/types/test-server.js';

/** Starts a lease server in this process. Rejects if a flag is wrong. */
export declare function startTestServer(options?: TestServerOptions): Promise<TestServer>;
