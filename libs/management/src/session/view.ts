import type { Principal } from '../auth/principals.js';
import type { ActiveSession } from '../auth/sessions.js';

export const principalView = ({ name, scopes, apps }: Principal) => ({
  principal: name,
  scopes: [...scopes],
  apps: apps === null ? ['*'] : [...apps],
});

export const sessionView = (session: ActiveSession) => ({
  ...principalView(session.principal),
  csrf_token: session.csrfToken,
  idle_expires_at_ms: session.idleExpiresAtMs,
  expires_at_ms: session.expiresAtMs,
});
