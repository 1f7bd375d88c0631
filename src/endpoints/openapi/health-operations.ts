import { type ApiOperation, capital } from './api-operation.js';

const TEXT = ['text/plain'];

function healthOperation(name: string, description: string): ApiOperation {
  const verbose = { name: 'verbose', in: 'query', type: 'string', description: 'List every check even if all pass.' } as const;
  const exclude = { name: 'exclude', in: 'query', type: 'string', description: 'Name of a check to exclude.' } as const;
  return {
    id: `get${capital(name)}`,
    method: 'get',
    path: `/${name}`,
    tag: 'health',
    description,
    parameters: [verbose, exclude],
    consumes: TEXT,
    produces: TEXT,
    codes: [200],
  };
}

/** The health endpoints, which only the document for human readers contains. */
export const HEALTH_OPERATIONS: readonly ApiOperation[] = [
  healthOperation('livez', 'Whether the process is alive.'),
  healthOperation('readyz', 'Whether the server is ready to serve requests.'),
  healthOperation('healthz', 'Deprecated: use readyz.'),
];
