import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';

export const showDocument = (_call: Call, { document }: ManagementParts): Reply => ok(document());
