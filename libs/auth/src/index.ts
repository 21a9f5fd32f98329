export { Capabilities, type Grants } from './capability/capabilities.js';
export { type CapabilityToken, type ClaimNames } from './capability/claims.js';
export {
  admitToken,
  EXPIRY_GRACE_MS,
  untilExpiryMs,
  withdrawnSubscriptions,
  type HeldSubscription,
} from './capability/live-token.js';
export { mintCapabilityToken, type TokenContent } from './capability/mint.js';
export { type Operation, OPERATIONS } from './capability/operations.js';
export { readSigninCapabilities, type SigninCapabilities } from './capability/signin.js';
export { verifyCapabilityToken, type TokenVerdict } from './capability/token.js';
export { formDecode } from './request/form-decode.js';
export { signRequest, type RequestToSign } from './request/sign-request.js';
export { parseSignedQuery, type SignedQuery } from './request/signed-query.js';
export {
  SignatureMismatch,
  verifySignedHead,
  verifySignedRequest,
  type ReceivedRequest,
} from './request/verify-request.js';
export { prepareSigningKey, previousKey, type SigningKey, type SigningKeySource } from './signing-key.js';
export { signChannelAuth, verifyChannelAuth, type ChannelAuth } from './socket/channel-auth.js';
export { signUserAuth, verifyUserAuth, type UserAuth } from './socket/user-auth.js';
export { signWebhook, verifyWebhook } from './webhook.js';
