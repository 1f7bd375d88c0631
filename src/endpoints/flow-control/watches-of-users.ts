import { SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import type { RawResponse } from '../exchange/raw-exchange.js';

/** The properties of a watch that the limit depends on. */
export interface LimitedWatch {
  readonly user: UserInfo;
  readonly response: Pick<RawResponse, 'once'>;
}

/** Counts each user's open watches. Established watches hold no seats, so nothing else bounds their number. */
export class WatchesOfUsers {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  /** 0 means no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a watch until its response is closed; returns false if its user has reached the limit. */
  begin({ user, response }: LimitedWatch): boolean {
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
