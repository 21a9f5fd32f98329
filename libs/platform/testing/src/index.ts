export { configuration } from './configuration.js';
export { freePort } from './free-port.js';
export { RawConnection, type RawTarget } from './raw-connection.js';
export { type RawAnswer, rawHttp, type RawRequest, readAnswer, requestBytes } from './raw-http.js';
export {
  frameBytes,
  type FrameOptions,
  HANDSHAKE,
  OPCODE,
  type RawFrame,
  RawSocketClient,
} from './raw-socket-client.js';
export { PROCESS_ENV } from './process-env.js';
export { programOf } from './program-of.js';
export { SpawnedNode, spawnNode } from './spawn-node.js';
