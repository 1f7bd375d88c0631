import { SYSTEM_MASTERS } from '../../auth/authentication/well-known-users.js';
import type { ApiRequest } from '../request/api-request.js';

/** How many watches each user has open. Watches take no seats once they stand, so nothing else bounds them. */
export class WatchesOfUsers {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  /** 0 is no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a watch until its answer is closed; false where its user has as many as he may have. */
  begin({ user, response }: ApiRequest): boolean {
    if (this.#limit === 0 || user.groups.includes(SYSTEM_MASTERS)) return true;
    const { name } = user;
    const open = this.#counts.get(name) ?? 0;
    if (open >= this.#limit) return false;
    this.#counts.set(name, open + 1);
    response.once('close', () => this.#end(name));
    return true;
  }

  #end(name: string): void {
    const open = (this.#counts.get(name) ?? 0) - 1;
    if (open > 0) this.#counts.set(name, open);
    else this.#counts.delete(name);
  }
}
