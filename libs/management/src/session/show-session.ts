import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import { principalView, sessionView } from './view.js';

export const showSession = ({ principal, session }: Call): Reply =>
  ok(session === null ? principalView(principal) : sessionView(session));
