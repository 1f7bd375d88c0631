import type { OutgoingHttpHeaders } from 'node:http';
import type { OutputNegotiation } from '../negotiation/output-negotiation.js';
import { wantsPretty } from '../negotiation/pretty-print.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendAnswer } from '../writers/answer.js';
import type { DocumentSchemas } from './document-schemas.js';

/** Answers with a document that is no stored object, in the media type that the client accepts. */
export class DocumentWriter {
  readonly #negotiation: OutputNegotiation;
  readonly #schemas: DocumentSchemas;

  constructor(negotiation: OutputNegotiation, schemas: DocumentSchemas) {
    this.#negotiation = negotiation;
    this.#schemas = schemas;
  }

  /** `document.kind` decides the schema. Throws the 406. */
  write(request: ApiRequest, document: object, extra?: OutgoingHttpHeaders): void {
    const { serializer, pretty } = this.#negotiation.require(request.accept);
    const indented = pretty || wantsPretty(request.query, request.userAgent);
    const body = serializer.encodeObject(this.#schemas.of(document), document, { pretty: indented });
    sendAnswer(request, 200, serializer.mediaType, body, extra);
  }
}
