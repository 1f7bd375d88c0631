import { Injectable } from '@nestjs/common';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { notAcceptable } from '../../apimachinery/errors/status-errors.js';
import { MediaTypes } from '../negotiation/media-types.js';
import type { OutputNegotiation } from '../negotiation/output-negotiation.js';
import type { Serializers } from '../negotiation/serializers.js';
import { wantsPretty } from '../negotiation/wants-pretty.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendResponse } from '../response/send-response.js';
import { sendRawStatus } from '../response/error-writer.js';
import { documentSchema, protobufDocument, protobufSchema } from './document-schemas.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * Sends documents other than stored objects, in the media type that the client accepts. The encoding of a document is cached per media type
 * for as long as the document exists, so a document must not change.
 */
@Injectable()
export class DocumentWriter {
  readonly #encoded = new WeakMap<object, Map<string, Buffer>>();
  readonly #negotiation: OutputNegotiation;

  constructor({ plain }: MediaTypes) {
    this.#negotiation = plain;
  }

  get serializers(): Serializers {
    return this.#negotiation.serializers;
  }

  /** `document.kind` determines the schema. */
  write(request: ApiRequest, document: object): void {
    const choice = this.#negotiation.choose(request.accept);
    if (!choice) return sendRawStatus(request, notAcceptable(this.serializers.mediaTypes).status);
    const { serializer, pretty } = choice;
    request.audit?.responseObject(() => String(this.serializers.preferred.encodeObject(documentSchema(document), document)));
    const body = this.#bytes(document, serializer, pretty || wantsPretty(request.query, request.userAgent));
    sendResponse(request, 200, serializer.mediaType, body);
  }

  #bytes(document: object, serializer: Serializer, pretty: boolean): Buffer {
    const forms = this.#encoded.get(document) ?? new Map<string, Buffer>();
    this.#encoded.set(document, forms);
    const form = `${serializer.mediaType}${pretty ? ' pretty' : ''}`;
    const bytes = forms.get(form) ?? Buffer.from(encode(document, serializer, pretty));
    forms.set(form, bytes);
    return bytes;
  }
}

function encode(document: object, serializer: Serializer, pretty: boolean): Encoded {
  return serializer.mediaType === PROTOBUF
    ? serializer.encodeObject(protobufSchema(document), protobufDocument(document), { pretty })
    : serializer.encodeObject(documentSchema(document), document, { pretty });
}
