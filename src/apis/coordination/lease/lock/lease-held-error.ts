import { printable } from '../../../../apimachinery/text/printable.js';
import { ApiError } from '../../../../apimachinery/errors/api-error.js';

/** 423: another holder has the lease. */
export class LeaseHeldError extends ApiError {
  constructor(
    readonly holder: string,
    /** The version of the lease in which this is so. */
    readonly revision: number,
    /** In how many milliseconds it expires, if it does not change; undefined: never. */
    readonly expiresIn: number | undefined,
    /** Terraform's description of the holder's operation. */
    readonly info: string | undefined,
    /** What the holder does: the one for whom a free lease was handed over does not have it yet. */
    readonly verb: 'holds' | 'is to have' = 'holds',
  ) {
    super({ code: 423, reason: 'Locked', message: `${printable(holder)} ${verb} the lease` });
  }

  /** The same after a write that has changed neither the holder nor its times, from which the server counts all the same. */
  since(revision: number, duration: number | undefined): LeaseHeldError {
    return new LeaseHeldError(this.holder, revision, duration, this.info);
  }
}
