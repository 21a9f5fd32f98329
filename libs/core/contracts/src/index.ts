export { list, map, nullable, object, optional, perhaps, type ObjectOf } from './codec/composites.js';
export { decoder, type Decoded, type Decoder, type Misfit } from './codec/decode.js';
export { encode, type Encoded } from './codec/encode.js';
export {
  maxMessageBytes,
  message,
  type BodyOf,
  type MessageDefinition,
  type MessageOf,
} from './codec/message.js';
export { amount, flag, integer, json, matching, oneOf, text } from './codec/primitives.js';
export { type Infer, type Json, type Shape } from './codec/shape.js';
export { RECORD, type FanOutRecord, type FanOutRecordBody } from './commit/fan-out.js';
export {
  decodeRead,
  decodeReadAnswer,
  MAX_READ_BYTES,
  MAX_READ_HEADS,
  MAX_READ_RECORDS,
  READ,
  READ_ANSWER,
  READ_REFUSED,
  type Read,
  type ReadAnswerBody,
  type ReadBody,
  type ReadPage,
  type ReadPresenceEvent,
  type ReadRefused,
  type ReadRetained,
  type ReadStanding,
  type ReadStoredRecord,
  type ReadAnnotation,
  type ReadMessage,
  type ReadStream,
  type ReadSummary,
} from './commit/read.js';
export {
  COMMIT_OPS,
  readCommitRecord,
  type CommitOp,
  type CommitRecord,
  type CommitRecordOf,
  type ReadRecord,
} from './commit/record.js';
export {
  COMMITTED,
  decodeLaneReply,
  REFUSED,
  type CommitResult,
  type Committed,
  type CommittedBody,
  type Refused,
} from './commit/reply.js';
export {
  COMMIT,
  decodeLaneRequest,
  HELLO,
  MAX_COMMIT_BYTES,
  MAX_COMMIT_RECORDS,
  type Commit,
  type CommitBody,
  type Hello,
} from './commit/request.js';
export { isStorable, storableJson } from './commit/storable.js';
export { decodeWriter, WRITER, type Writer, type WriterBody } from './commit/writer.js';
export { BROADCAST, type Broadcast, type BroadcastBody } from './broker/broadcast.js';
export {
  HEARTBEAT,
  NODE_DEAD,
  NODE_LEAVING,
  ROLL_CALL,
  type Heartbeat,
  type NodeDead,
  type NodeLeaving,
  type RollCall,
} from './broker/liveness.js';
export {
  MANAGE_NOTICE,
  MANAGE_REQUEST,
  MANAGE_RESPONSE,
  MANAGE_TOPICS,
  MAX_MANAGE_PARTS,
  type ManageNotice,
  type ManageRequest,
  type ManageResponse,
  type ManageTopic,
} from './broker/manage.js';
export {
  REQUEST,
  REQUEST_TYPES,
  RESPONSE,
  type Request,
  type RequestBody,
  type RequestType,
  type Response,
  type ResponseBody,
} from './broker/request.js';
export {
  APP_CHANGED,
  TOKEN_REVOKED,
  type AppChanged,
  type TokenRevoked,
  type TokenRevokedBody,
} from './broker/users.js';
export { cacheKeys, essentialOwner, isEssential } from './names/cache-keys.js';
export { type BrokerNames } from './names/broker-names.js';
export { natsNames } from './names/nats.js';
export { partitionedQueue, PUSH_PROVIDERS, queueNames, type PushProvider } from './names/queues.js';
export { redisNames } from './names/redis.js';
export { sharedNames } from './names/shared.js';
export {
  decodeWebhookJob,
  MAX_WEBHOOK_EVENTS,
  WEBHOOK_DELIVERY_JOB,
  WEBHOOK_JOB,
  type WebhookDeliveryJob,
  type WebhookDeliveryJobBody,
  type WebhookJob,
  type WebhookJobBody,
} from './webhook-job.js';
