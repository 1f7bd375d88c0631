import type { OutgoingHttpHeaders } from 'node:http';
import { notAcceptable } from '../../apimachinery/errors/status-errors.js';
import type { OutputNegotiation } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendAnswer } from '../writers/answer.js';
import { sendRawStatus } from '../writers/error-writer.js';
import type { DocumentSchemas } from './document-schemas.js';

/** Answers with a document that is no stored object, in the media type that the client accepts. */
export class DocumentWriter {
  readonly #negotiation: OutputNegotiation;
  readonly #schemas: DocumentSchemas;

  constructor(negotiation: OutputNegotiation, schemas: DocumentSchemas) {
    this.#negotiation = negotiation;
    this.#schemas = schemas;
  }

  /** `document.kind` decides the schema. */
  write(request: ApiRequest, document: object, extra?: OutgoingHttpHeaders): void {
    const choice = this.#negotiation.choose(request.accept);
    if (!choice) return sendRawStatus(request, notAcceptable(this.#negotiation.serializers.mediaTypes).status);
    const { serializer, pretty } = choice;
    const indented = pretty || wantsPretty(request.query, request.userAgent);
    const body = serializer.encodeObject(this.#schemas.of(document), document, { pretty: indented });
    sendAnswer(request, 200, serializer.mediaType, body, extra);
  }
}
