import { signer } from '../api/signed.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const ENCRYPTED = 'private-encrypted-';
const MASTER_KEY = 'CARILLON_ENCRYPTION_MASTER_KEY';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal, env } = invocation;
  const channel = values.argument(0);
  const socketId = values.required('socket-id');
  const userId = values.text('user-id');
  const info = values.json('user-info');
  if (userId === undefined && channel.startsWith('presence-'))
    throw usageError('--user-id is missing for a presence channel');
  const member =
    userId === undefined
      ? undefined
      : { user_id: userId, ...(info === undefined ? {} : { user_info: info }) };
  const encryptor = channel.startsWith(ENCRYPTED) ? await encryptorOf(env[MASTER_KEY]) : undefined;
  const server = await signer(invocation, encryptor);
  terminal.document(await server.authorizeChannel(socketId, channel, member));
}

async function encryptorOf(masterKey: string | undefined) {
  if (masterKey === undefined || masterKey === '')
    throw usageError(`${MASTER_KEY} is missing`, 'set it to the base64 text of 32 bytes');
  if (Buffer.from(masterKey, 'base64').length !== 32)
    throw usageError(`${MASTER_KEY} is not the base64 text of 32 bytes`);
  const { encryptor } = await import('@carillon/server/encrypted');
  return encryptor(masterKey);
}
