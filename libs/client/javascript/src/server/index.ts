export {
  authenticateUser,
  authorizeChannel,
  capabilityToken,
  type Credentials,
  type PresenceMember,
  type SignedInUser,
  type TokenClaims,
} from './credentials.js';
export { checkForwarded, type ForwardRules } from './forwarded.js';
export { signedApi } from './signed-api.js';
