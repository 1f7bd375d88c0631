import { AUTH_MESSAGES } from './auth-messages.js';
import { DISCOVERY_MESSAGES } from './discovery-messages.js';
import { META_MESSAGES } from './meta-messages.js';
import type { ProtoMessage } from './proto-field.js';
import { RESOURCE_MESSAGES } from './resource-messages.js';

/**
 * All messages in the recordings. Written from upstream's .proto files, independently of the server's schemas, so that they check those.
 */
export const PROTO_MESSAGES: Readonly<Record<string, ProtoMessage | undefined>> = {
  ...META_MESSAGES,
  ...DISCOVERY_MESSAGES,
  ...RESOURCE_MESSAGES,
  ...AUTH_MESSAGES,
};

export function protoMessage(name: string): ProtoMessage {
  const message = PROTO_MESSAGES[name];
  if (message === undefined) throw new Error(`no protobuf message ${name}`);
  return message;
}
