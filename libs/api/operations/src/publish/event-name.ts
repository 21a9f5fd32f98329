import type { App } from '@carillon/app-registry';
import { isStorable } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';

/**
 * A name that an event of the app may have, whether it is published or given to a message later.
 *
 * @throws ServiceError
 */
export function checkEventName({ limits }: App, name: string): string {
  if (!isStorable(name))
    throw new ServiceError('invalid_input', { text: 'name holds what cannot be stored' });
  const max = limits.maxEventNameBytes;
  if (name.length * 3 <= max || Buffer.byteLength(name) <= max) return name;
  throw new ServiceError('limit_exceeded', { text: `name is longer than ${max} bytes` });
}
