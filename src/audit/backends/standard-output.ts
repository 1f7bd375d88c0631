import type { AuditLog } from './log-backend.js';

/** Events on stdout (`--audit-log-path=-`). */
export class StandardOutput implements AuditLog {
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    // It is the process's.
  }
}
