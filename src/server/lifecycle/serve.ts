import type { ServerConfig } from '../config/server-config.js';

export async function serve(config: ServerConfig): Promise<void> {
  await Promise.resolve();
  console.log(config);
}
