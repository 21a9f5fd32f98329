export { type Grant, grantOf, mayChange, type MutationKind } from './authorize.js';
export { created } from './create.js';
export { foldVersions, type Folded } from './fold.js';
export { frameOf, latestFrameOf } from './frame.js';
export { latestItem, versionItem } from './item.js';
export {
  checkSize,
  mutate,
  type Mutated,
  type Mutation,
  type Refusal,
  type VersionPlace,
} from './mutation.js';
export { operationIdentity, type OperationIdentity } from './operation-identity.js';
export { payloadOf, type Version } from './payload.js';
export { isSerial, nextSerial, type Numbering } from './serials.js';
