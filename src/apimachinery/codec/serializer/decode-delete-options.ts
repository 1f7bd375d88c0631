import { badRequest } from '../../errors/status-errors.js';
import type { DeleteOptionsBody } from '../../meta/delete-options.schema.js';
import { groupVersion } from '../../schema/group-resource.js';
import { isDecodeError } from '../../errors/decode-error.js';
import { SCHEME_NAME } from './kind-registry.js';
import type { BodyDecoder } from './decode-object.js';

/**
 * Decodes the body of a DELETE: DeleteOptions of any group and version (apiserver pkg/endpoints/handlers/delete.go). Its errors lack the
 * wrapping text that errors of objects have.
 */
export function decodeDeleteOptions(decoder: BodyDecoder): DeleteOptionsBody {
  try {
    const { group, version, kind } = decoder.sniff();
    if (kind !== '' && kind !== 'DeleteOptions') {
      const sent = version === '' ? 'meta.k8s.io/v1' : groupVersion(group, version);
      throw badRequest(`no kind "${kind}" is registered for version "${sent}" in scheme "${SCHEME_NAME}"`);
    }
    return decoder.decode(false).object;
  } catch (error) {
    if (isDecodeError(error)) throw badRequest(error.message);
    throw error;
  }
}
