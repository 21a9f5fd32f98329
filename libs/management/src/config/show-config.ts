import { printable } from '@carillon/config';
import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';

/** Effective configuration of the answering process, without secrets. */
export function showConfig(_call: Call, { config, role }: ManagementParts): Reply {
  return ok({ node_id: config.instance.process_id, role, config: printable(config) });
}
