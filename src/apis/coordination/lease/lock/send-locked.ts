import { printable } from '../../../../apimachinery/text/printable.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { sendResponse, sendText } from '../../../../endpoints/response/send-response.js';
import type { LeaseHeldError } from './lease-held-error.js';

/** 423 with the holder: as text, or for Terraform as the description of the holder's operation. */
export function sendLocked(request: ApiRequest, { holder, info, verb }: LeaseHeldError, form: 'text' | 'lock info'): void {
  const headers = { 'lease-holder': headerText(holder), 'retry-after': '1' };
  if (form === 'text') sendText(request, 423, `${printable(holder)} ${verb} it\n`, headers);
  else sendResponse(request, 423, 'application/json', info ?? JSON.stringify({ ID: holder, Who: holder }), headers);
}

/** A holder may be any text; what a header cannot carry is percent-encoded. */
export function headerText(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}
