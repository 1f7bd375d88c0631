import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../telemetry/logger.js';
import { MediaTypes } from '../negotiation/media-types.js';
import { ErrorWriter } from './error-writer.js';

/** The writers of errors, by the media types that upstream speaks there. */
@Injectable()
export class ErrorWriters {
  /** Before a request has reached its resource, and for everything that is no resource. */
  readonly global: ErrorWriter;
  /** Within a group version. */
  readonly versioned: ErrorWriter;

  constructor({ global, versioned }: MediaTypes, @Inject(LOGGER) logger: Logger) {
    this.global = new ErrorWriter(global, logger);
    this.versioned = new ErrorWriter(versioned, logger);
  }
}
