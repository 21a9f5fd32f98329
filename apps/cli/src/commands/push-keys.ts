import { createECDH } from 'node:crypto';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const PRIVATE_BYTES = 32;

export async function run({ values, terminal }: Invocation): Promise<void> {
  const subject = values.text('subject');
  if (subject !== undefined && !/^(mailto:|https:\/\/)\S+$/.test(subject))
    throw usageError(`--subject "${subject}" is not a mailto: or https: URL`);
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys().toString('base64url');
  const privateBytes = pair.getPrivateKey();
  // The library leaves leading zero bytes out.
  const padded = Buffer.concat([Buffer.alloc(PRIVATE_BYTES - privateBytes.length), privateBytes]);
  const privateKey = padded.toString('base64url');
  terminal.result({ public_key: publicKey, private_key: privateKey }, () => {
    terminal.line(`# public key, for browsers: ${publicKey}`);
    terminal.line('[push.webpush]');
    terminal.line(`vapid_private_key = "${privateKey}"`);
    if (subject !== undefined) terminal.line(`vapid_contact = "${subject}"`);
    terminal.line('# or in the environment:');
    terminal.line(`# VAPID_PRIVATE_KEY=${privateKey}`);
    if (subject !== undefined) terminal.line(`# VAPID_CONTACT=${subject}`);
  });
}
