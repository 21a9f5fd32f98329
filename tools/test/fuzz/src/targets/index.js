import { capabilityToken } from './capability-token.js';
import { channelName } from './channel-name.js';
import { clientEvent } from './client-event.js';
import { compatCapability } from './compat-capability.js';
import { compatCredentials } from './compat-credentials.js';
import { compatFrame } from './compat-frame.js';
import { compatJwt } from './compat-jwt.js';
import { compatKeptToken } from './compat-kept-token.js';
import { compatSealedToken } from './compat-sealed-token.js';
import { compatTokenRequest } from './compat-token-request.js';
import { connectQuery } from './connect-query.js';
import { delta } from './delta.js';
import { filter } from './filter.js';
import { frame } from './frame.js';
import { frameV2 } from './frame-v2.js';
import { identity } from './identity.js';
import { origin } from './origin.js';
import { signedRequest } from './signed-request.js';
import { socketAuth } from './socket-auth.js';

/** Every target that is a function of its input alone. @type {readonly import('../target.js').Target[]} */
export const PURE_TARGETS = [
  frame,
  clientEvent,
  channelName,
  connectQuery,
  socketAuth,
  signedRequest,
  identity,
  capabilityToken,
  origin,
  frameV2,
  filter,
  delta,
  compatFrame,
  compatCredentials,
  compatCapability,
  compatTokenRequest,
  compatJwt,
  compatSealedToken,
  compatKeptToken,
];
